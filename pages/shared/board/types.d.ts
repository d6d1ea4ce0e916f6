// What crosses files. Nothing of it is sent to a browser: `deno check` reads it
// (tests/test_scripts.py).

// ---------- what a view is sent, by pages/shared/board (packed.py, views.py) ----------

/** What is known of a matrix beside its numbers; only what is unusual about it is sent. */
interface Described {
    name: string;
    n: number; // rows
    m: number; // columns
    rows: string[];
    columns: string[];
    title: string;
    shape: string;
    role: string;
    symbol?: string; // without one, its name
    scale?: string; // sequential, plain or for; without one, diverging
    top?: number;
    shares?: boolean; // the numbers are shares of 1, in 16 bits
    clickable?: boolean;
    wide?: boolean;
    frame?: Frame;
    blocks?: number[];
    whole?: boolean;
    bare?: boolean;
    hideColumns?: boolean;
    close?: boolean;
    family?: number;
    editable?: Editable;
    marks?: string; // a byte a cell, 1 for those with a mark
    marked?: string; // what the mark on those means
    held?: string; // what a held setup has there
    texts?: string[]; // what stands in its cells, row by row, in place of their numbers
    told?: string[]; // what is said of each cell, row by row, in place of its name and number
    made?: string; // the function that made it, and where it stands
    cut?: Cut; // it is a part of a longer one
    [more: string]: any; // what one view alone asks for
}

/** A matrix as it is packed, its numbers as base64. */
export interface Packed extends Described {
    values: string;
}

// rows from, to, columns from, to, the last ones not among them
export type Frame = [number, number, number, number];

/** How the link, and how a reader, calls the cells of weights that can be changed by hand. */
export interface Editable {
    target: string;
    title: string;
    behind: string;
    first: number;
    rows: string;
    vector: boolean;
}

/** What a board is sent: which view draws it, of what, and which cell is followed. */
export interface Data {
    view: string;
    alt: string;
    matrices?: Packed[];
    main?: number; // the matrix in which the chosen cell is
    chosen?: any; // row and column, from 0; a word's place where there are no cells
    chooses?: Chooses;
    lecture?: number; // the share of the screen's height
    maxZoom?: number;
    under?: number; // pixels above and below a page's figure
    plays?: { as: string; [more: string]: any };
    [more: string]: any; // what one view alone is sent
}

/**
 * What a click sets: a field's value is the cell's row, its column, its block of so many columns,
 * what stands for each cell, or what stands here.
 */
export interface Chooses {
    fields: Record<string, Meaning>;
    by_matrix: Record<string, Record<string, Meaning>>;
    most: Record<string, number>;
}
export type Meaning = string | number | null | ["row" | "column", number] | ["cell", number[][]];

// ---------- what the browser makes of it ----------

/** A matrix whose numbers are within reach. */
export interface Matrix extends Described {
    values: Float32Array;
    top: number;
    at(i: number, j: number): number;
    isMarked(i: number, j: number): boolean;
    before?: (i: number, j: number) => number; // what a held setup has there
}

/** Which rows and columns of the whole are shown, null for all; and the size of the whole. */
export interface Cut {
    rows: number[] | null;
    columns: number[] | null;
    size: [number, number];
}

/** Where a matrix stands in a drawing: the left upper corner and the size of one cell. */
export interface Place {
    matrix: Matrix;
    x: number;
    y: number;
    uw: number;
    uh: number;
    group?: SVGGElement;
}

export interface Cell {
    place: Place;
    i: number;
    j: number;
}

/** A cell that a reader chose. */
export interface Chosen {
    matrix: string;
    row: number;
    column: number;
}

/** The room for a drawing, in its own pixels; whether all of it must fit; and the zoom. */
export interface Room {
    w: number;
    h: number;
    fit: boolean;
    scale: number;
    seen?: number; // the width that is on screen, where that is less
}

/** Draws data; what it returns, if anything, goes on to another chosen cell in the same drawing. */
export type View = (
    host: any,
    data: Data,
    send: (what: Chosen) => void,
    colours: Colours,
    room: Room,
) => void | null | ((chosen: any) => void);

export type Colour = number[]; // red, green, blue

export interface Colours {
    diverging: Colour[];
    sequential: Colour[];
    background: Colour;
    gray: Colour;
}

/** What is performed, station by station: primitives.js says how. */
export interface Script {
    stations?: { says?: string; lasts: number; steps: Step[] }[];
    covers?: Cover[];
    room?: number; // how much higher than the drawing it is, in the drawing's own measure
    why?: string; // in place of all this: why nothing can be played
}

/** One primitive at work: when, and with what. */
export interface Step {
    does: string;
    over?: number[];
    stays?: number;
    leaves?: boolean;
    of?: number; // which cover
    [more: string]: any;
}

/** Cells that are covered until they are made. */
export interface Cover {
    place: any;
    rows?: number[];
    start?: number;
    behind?: number;
}

export interface Box {
    x: number;
    y: number;
    width: number;
    height: number;
}

// ---------- what modules that are loaded apart know of each other ----------

type Link = { page: string; link: string };
type Component = { data: Uint8Array; parentElement: HTMLElement };
type Draws = (component: Component) => unknown;

/** The address, which address.js alone writes. */
export interface Address {
    here(): Link;
    value(name: string): string;
    act(changes: Record<string, unknown>, page?: string): void;
    choose(chooses: Chooses, cell: Chosen, host?: HTMLElement): void;
    edits(): [string, string][];
    edit(changes: [string, string][]): boolean;
    limits(): { most: number; largest: number; decimals: number };
    row(): {
        path: string;
        menu: string;
        controls: string[];
        glyph: { boxes: [number, number, number, number, string][] };
    };
    prediction(name: string): { name: string; role: string; board: string; entry: string };
    of(page: string): string;
    follow(page: string, link: string): void;
    held(): string;
    heard(answer: Link & { arrived: string | null; says: Record<string, any> }): void;
    isAnswered(): boolean;
    undo(): void;
    canUndo(): boolean;
    room(): string | null;
    enter(code: string | null): void;
    root(): string;
}

declare global {
    const STYLES: string; // written above the scripts by library.py
    const THEMES: Record<"light" | "dark", Record<string, string | string[]>>;

    interface Window {
        attentionAddress: Address;
        attentionReady?: boolean;
        attentionPrediction: Draws;
        attentionBoard: Draws;
        attentionBar: Draws;
        attentionPanel: Draws;
        attentionControl: Draws;
        attentionControls: Draws;
    }

    // What the page's elements have, of HTML and of drawings; and what is kept at an element of our
    // own.
    interface Element extends HTMLOrSVGElement {
        inert: boolean;
        drawing?: Data;
        redraw?(): void;
        inForce?: unknown;
        says?: string;
    }

    // What is listened to in the whole window comes from an element.
    interface EventTarget {
        closest?(selectors: string): HTMLElement | null;
        matches?(selectors: string): boolean;
    }
}

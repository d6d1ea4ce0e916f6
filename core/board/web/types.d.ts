// Types shared between files. Not sent to the browser; `deno check` reads them
// (tests/test_scripts.py).

// ---------- the data of a view, sent by core/board (packed.py, views.py) ----------

/** A matrix without its numbers; fields with default values are not sent. */
interface Described {
    name: string;
    n: number; // rows
    m: number; // columns
    rows: string[];
    columns: string[];
    title: string;
    shape: string;
    role: string;
    symbol?: string; // default: its name
    scale?: string; // sequential, plain or for; default: diverging
    top?: number;
    shares?: boolean; // the numbers are 16-bit shares of 1
    triangle?: boolean; // 0 above the diagonal, which is not sent
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
    unedited?: string; // the numbers before the edits
    marks?: string; // a byte per cell, 1 for marked ones
    marked?: string; // what the mark means
    held?: string; // the pinned setup's numbers
    texts?: string[]; // the texts of the cells, row by row, in place of their numbers
    told?: string[]; // the description of each cell, row by row, in place of its name and number
    made?: string; // the function that computed it, with file and line
    cut?: Cut; // if it is a part of a longer matrix
    [more: string]: any; // fields of a single view
}

/** A matrix as sent, its numbers as base64. */
export interface Packed extends Described {
    values: string;
}

// rows from, to, columns from, to, ends excluded
export type Frame = [number, number, number, number];

/** The names of editable weights, in the link and for a user. */
export interface Editable {
    target: string;
    title: string;
    behind: string;
    first: number;
    rows: string;
    vector: boolean;
}

/** The data of a board: its view, its matrices, and the chosen cell. */
export interface Data {
    view: string;
    alt: string;
    matrices?: Packed[];
    main?: number; // the matrix of the chosen cell
    chosen?: any; // row and column, from 0; without cells, a word's index
    chooses?: Chooses;
    lecture?: number; // the share of the screen's height
    maxZoom?: number;
    under?: number; // pixels above and below a page's figure
    plays?: { as: string; [more: string]: any };
    [more: string]: any; // fields of a single view
}

/**
 * The fields that a click sets: to the cell's row, its column, its block of so many columns, an
 * entry listed for each cell, or a constant.
 */
export interface Chooses {
    fields: Record<string, Meaning>;
    by_matrix: Record<string, Record<string, Meaning>>;
    most: Record<string, number>;
}
export type Meaning = string | number | null | ["row" | "column", number] | ["cell", number[][]];

// ---------- computed in the browser ----------

/** A matrix with its numbers decoded. */
export interface Matrix extends Described {
    values: Float32Array;
    top: number;
    at(i: number, j: number): number;
    beforeEdits(i: number, j: number): number;
    isMarked(i: number, j: number): boolean;
    before?: (i: number, j: number) => number; // the pinned setup's number
}

/** The visible rows and columns of the whole matrix, null for all, and its size. */
export interface Cut {
    rows: number[] | null;
    columns: number[] | null;
    size: [number, number];
}

/** A matrix's place in a drawing: the upper left corner and the size of one cell. */
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

/** A cell chosen by the user. */
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
    seen?: number; // the visible width, if smaller
}

/** Draws data; may return a function that moves the highlight to another chosen cell. */
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

/** An animation, station by station (see primitives.js). */
export interface Script {
    stations?: { says?: string; lasts: number; steps: Step[] }[];
    covers?: Cover[];
    room?: number; // extra height, in the drawing's units
    why?: string; // instead of all this: why nothing can be played
}

/** One use of a primitive: when, and with which arguments. */
export interface Step {
    does: string;
    over?: number[];
    stays?: number;
    leaves?: boolean;
    of?: number; // index of the cover
    [more: string]: any;
}

/** Cells that are covered until they are computed. */
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

// ---------- the interfaces between separately loaded modules ----------

type Link = { page: string; link: string };
type Component = { data: Uint8Array; parentElement: HTMLElement };
type Draws = (component: Component) => unknown;

/** The address, written by navigation.js only. */
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
    const STYLES: string; // prepended to the scripts by library.py
    const THEMES: Record<"light" | "dark", Record<string, string | string[]>>;

    interface Window {
        attentionReady?: boolean;
        attentionLecture: Draws;
        attentionPrediction: Draws;
        attentionBoard: Draws;
        attentionBar: Draws;
        attentionPanel: Draws;
        attentionControl: Draws;
        attentionControls: Draws;
    }

    // Properties of HTML and SVG elements, and those that our code adds to its own elements.
    interface Element extends HTMLOrSVGElement {
        inert: boolean;
        drawing?: Data;
        redraw?(): void;
        inForce?: unknown;
        says?: string;
    }

    // Listeners on the window: an event's target is an element.
    interface EventTarget {
        closest?(selectors: string): HTMLElement | null;
        matches?(selectors: string): boolean;
    }
}

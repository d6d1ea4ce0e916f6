// How a class answered, to take home: as a table, and as a picture of the bars.

import { download, node, SVG } from "../board/dom.js";
import { computedOf, mostOf, named, toldOf } from "../frame/questions/told.js";
import { room } from "./line.js";

export const saveTable = ({ number, csv }) =>
    download(`class-${room.code}-${number}.csv`, new Blob(["\ufeff", csv], { type: "text/csv" }));

// A text in lines of at most so many characters.
function wrapped(text, most) {
    const all = [""];
    for (const word of text.split(" ")) {
        if (all.at(-1) && `${all.at(-1)} ${word}`.length > most) all.push(word);
        else all[all.length - 1] = `${all.at(-1)} ${word}`.trim();
    }
    return all;
}

function writeLines(svg, all, x, y, step, attributes) {
    for (const [k, each] of all.entries()) {
        node("text", { x, y: y + step * k, fill: "#10151b", ...attributes }, svg, each);
    }
}

// The same bars as a drawing of its own, black on white: the question, and a row for each answer.
function asPicture(result) {
    const { rows } = result, most = mostOf(rows), computed = computedOf(result);
    const all = result.asks.split("\n"),
        asks = all.slice(0, -1).flatMap((each) => wrapped(each, 120)),
        last = wrapped(all.at(-1), 110);
    const svg = node("svg", {
            xmlns: SVG,
            width: 1200,
            "font-family": "sans-serif",
            "font-size": 17,
        }),
        ground = node("rect", { width: 1200, fill: "#ffffff" }, svg);
    writeLines(svg, asks, 20, 34, 26, {});
    writeLines(svg, last, 20, 34 + 26 * asks.length, 26, { "font-weight": 700 });
    let y = 40 + 26 * (asks.length + last.length);
    for (const group of rows) {
        const name = wrapped(named(group), 26),
            told = wrapped(computed.get(group.answer) ?? (computed.size ? "" : toldOf(group)), 76);
        writeLines(svg, name, 20, y + 14, 20, { "font-weight": group.right ? 700 : 400 });
        writeLines(svg, told, 620, y + 14, 18, { "font-size": 14 });
        for (const [k, count] of group.counts.entries()) {
            const fill = k < group.counts.length - 1
                    ? "#b9c4d0"
                    : group.right
                    ? "#1d7a4f"
                    : "#55677a",
                long = (300 * count) / most;
            node("rect", { x: 270, y: y + 15 * k, width: long, height: 13, fill }, svg);
            writeLines(svg, [String(count)], 278 + long, y + 12 + 15 * k, 0, { "font-size": 14 });
        }
        y += 18 + Math.max(20 * name.length, 18 * told.length, 15 * group.counts.length);
    }
    if (rows[0]?.counts.length > 1) {
        writeLines(
            svg,
            ["Pale: the first vote. Dark: the second, after the class talked it over."],
            20,
            y + 8,
            0,
            { "font-size": 14 },
        );
        y += 26;
    }
    for (const part of [svg, ground]) part.setAttribute("height", y);
    svg.setAttribute("viewBox", `0 0 1200 ${y}`);
    return { svg, wide: 1200, tall: y };
}

export function savePicture(result) {
    const { svg, wide, tall } = asPicture(result),
        image = new Image(),
        canvas = document.createElement("canvas");
    Object.assign(canvas, { width: 2 * wide, height: 2 * tall });
    image.onload = () => {
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((blob) => download(`class-${room.code}-${result.number}.png`, blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${
        encodeURIComponent(new XMLSerializer().serializeToString(svg))
    }`;
}

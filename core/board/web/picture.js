// A board as a picture for slides: the current drawing with its title, as SVG and as PNG, created
// on request.

import { readPalette } from "./colours.js";
import { download, make, makeButton, node, SVG } from "./dom.js";
import { foldAway } from "./fold.js";
import { SIZES, textWidth } from "./text.js";

const HEAD = 30; // the room for the title above the drawing
const NO_ATTRIBUTE = "font-variant-numeric"; // SVG knows it as a style only
// The style properties that are copied into the picture. All but the first two are inherited.
const STYLED = [
    "opacity",
    "dominant-baseline",
    "visibility",
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "font-family",
    "font-size",
    "font-weight",
    "paint-order",
    NO_ATTRIBUTE,
    "text-anchor",
    "image-rendering",
];
const USUAL = { opacity: "1", "dominant-baseline": "auto" };

export function foldPicture(foot, host, svg) {
    foldAway(foot, host, "ab-picture", "As a picture", (folded) => {
        for (const [kind, made] of Object.entries({ SVG: saveSvg, PNG: savePng })) {
            const keep = async () =>
                download(`${getFileName(host)}.${kind.toLowerCase()}`, await made(host, svg));
            makeButton(folded, kind, keep, { "aria-label": `This board as a picture: ${kind}` });
        }
    });
}

// The file name, from the board's own name: it contains no text of a user.
function getFileName(host) {
    const key = host.closest("[class*=st-key-]")?.className.match(/st-key-(\S+)/)[1] ?? "board";
    return `attention-${key.replace("board_", "")}`;
}

async function saveSvg(host, svg) {
    return new Blob([await makeSelfContained(host, svg)], { type: "image/svg+xml" });
}

// At twice the screen's resolution, so that it stays sharp on a slide.
async function savePng(host, svg) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${
        encodeURIComponent(await makeSelfContained(host, svg))
    }`;
    await image.decode();
    const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// The drawing as a self-contained SVG, with its styles, font, background and title.
async function makeSelfContained(host, svg) {
    const { width, height } = svg.viewBox.baseVal;
    const [style, title] = [
        getComputedStyle(svg),
        document.querySelector("h1")?.textContent ?? "Attention explorer",
    ];
    const wide = Math.ceil(Math.max(width, textWidth(title, "said", 700) + 8));
    const made = node("svg", {
        xmlns: SVG,
        width: wide,
        height: height + HEAD,
        viewBox: `0 0 ${wide} ${height + HEAD}`,
    });
    node("title", {}, made, title);
    node("desc", {}, made, svg.getAttribute("aria-label"));
    node("style", {}, made, await readFontFace(style.fontFamily));
    node(
        "rect",
        { width: "100%", height: "100%", fill: `rgb(${readPalette(host).background})` },
        made,
    );
    node(
        "text",
        {
            x: 2,
            y: 19,
            fill: style.color,
            "font-family": style.fontFamily,
            "font-size": SIZES.said,
            "font-weight": 700,
        },
        made,
        title,
    );
    const drawing = copyWithStyles(svg);
    for (const [name, value] of Object.entries({ x: 0, y: HEAD, width, height })) {
        drawing.setAttribute(name, value);
    }
    made.appendChild(drawing);
    return new XMLSerializer().serializeToString(made);
}

function copyWithStyles(svg) {
    const copy = svg.cloneNode(true);
    const copies = [copy, ...copy.querySelectorAll("*")];
    [svg, ...svg.querySelectorAll("*")].forEach((element, k) => {
        for (const name of ["class", "style", "tabindex", "role", "aria-label"]) {
            copies[k].removeAttribute(name);
        }
        const [own, around] = [getComputedStyle(element), getComputedStyle(element.parentElement)];
        for (const name of STYLED) {
            const value = own.getPropertyValue(name);
            const before = USUAL[name] ?? (element === svg ? null : around.getPropertyValue(name));
            if (value === before && !element.hasAttribute(name)) continue;
            if (name === NO_ATTRIBUTE) copies[k].style.setProperty(name, value);
            else copies[k].setAttribute(name, value); // more programs read attributes than styles
        }
    });
    return copy;
}

// The first font of a list as an @font-face rule; empty if no style sheet loads it.
async function readFontFace(families) {
    const first = families.split(",")[0].replace(/["']/g, "").trim();
    const rules = [...document.styleSheets].flatMap((styles) => [...styles.cssRules]);
    const faces = rules.filter((rule) => rule instanceof CSSFontFaceRule);
    const rule = faces.find(({ style }) =>
        style.fontFamily.replace(/["']/g, "") === first && style.fontStyle !== "italic"
    );
    if (!rule) return "";
    const [, address] = rule.style.getPropertyValue("src").match(/url\(["']?([^"')]+)/);
    const base = rule.parentStyleSheet.href ?? document.baseURI;
    const bytes = await (await fetch(new URL(address, base))).blob();
    const data = await new Promise((done) => {
        const reader = new FileReader();
        reader.onload = () => done(reader.result);
        reader.readAsDataURL(bytes);
    });
    return `@font-face { font-family: "${first}"; font-weight: ${
        rule.style.fontWeight || "normal"
    }; src: url(${data}); }`;
}

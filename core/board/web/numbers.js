// Decoding the numbers that were sent, and formatting them.

export const decodeBytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

export function decode(base64) {
    return new Float32Array(decodeBytes(base64).buffer);
}

// Shares in [0, 1] for small pictures are sent as 16-bit integers: half the bytes.
export function decodeShares(base64) {
    return Float32Array.from(new Uint16Array(decodeBytes(base64).buffer), (v) => v / 65535);
}

// The same rule as core/text/written.py: four decimals, halves away from zero (as toFixed does), ≈ 0
// for less, powers of ten for huge numbers, a real minus sign and none for zero.
export function writeExact(v) {
    return writeSigned(v, (size) => {
        if (size > 0 && size < 0.00005) return "≈ 0";
        return size < 1e15 ? addCommas(size.toFixed(4)) : size.toExponential(1).replace("+", "");
    });
}

// A written number behind its sign, to follow a name: ≈ 0 has its own.
export const equate = (text, sign = "=") => (text.startsWith("≈") ? text : `${sign} ${text}`);
export const writeEqual = (v) => equate(writeExact(v));

// From 10,000 on, a comma before every third digit of the integer part.
function addCommas(text) {
    return text.length < 10 ? text : text.replace(/\B(?=(\d{3})+\.)/g, ",");
}

// For a cell: three digits, as many of them decimals as fit.
export function writeBrief(v) {
    return writeSigned(v, (size) => {
        if (size >= 1e15) return writeExact(size);
        return size.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
    });
}

// A share in percent; a small one is not rounded to 0%, a large one not to 100%.
export function writePercent(share) {
    const whole = Math.round(100 * share);
    if (share > 0 && whole === 0) return "less than 1%";
    return share < 1 && whole === 100 ? "more than 99%" : `${whole}%`;
}

// The same, shorter.
export const writeShortPercent = (share) =>
    writePercent(share).replace("less than ", "<").replace("more than ", ">");

export function writeSigned(v, write) {
    if (Number.isNaN(v)) return "–";
    const text = Number.isFinite(v) ? write(Math.abs(v)) : "∞";
    return v < 0 && /[1-9∞]/.test(text) ? `−${text}` : text;
}

// The step of an axis: the smallest 1, 2 or 5 times a power of ten that is at least `rough`.
export function roundStep(rough) {
    const ten = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((k) => k * ten).find((size) => size >= rough) ?? 10 * ten;
}

// A number on an axis, with as many decimals as its step has.
export function writeAtStep(v, step) {
    const digits = (size) => Math.floor(Math.log10(size) + 1e-9);
    return writeSigned(v, (size) => {
        if (size === 0) return "0";
        if (step < 1e6 && step >= 1e-4) {
            return size < 1e4
                ? size.toFixed(Math.max(0, -digits(step)))
                : size.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
        }
        return size.toExponential(Math.max(0, digits(size) - digits(step))).replace("+", "")
            .replace("-", "−");
    });
}

// Numbers: from the bytes that were sent, and as they are written.

export const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

export function decode(base64) {
    return new Float32Array(bytesOf(base64).buffer);
}

// Shares of 1 for small pictures come as whole numbers up to 65,535: half the bytes.
export function decodeShares(base64) {
    return Float32Array.from(new Uint16Array(bytesOf(base64).buffer), (v) => v / 65535);
}

// The rule is written down in core/written.py, which prints the same numbers beside the boards:
// four decimals, halves away from zero (as toFixed does), powers of ten for what is tiny or huge, a
// real minus sign and none for zero.
export function exact(v) {
    return signed(v, (size) => {
        if (size === 0 || (size >= 0.0001 && size < 1e15)) return withCommas(size.toFixed(4));
        return size.toExponential(1).replace("+", "").replace("-", "−");
    });
}

// From 10,000 on, before every third digit before the point.
function withCommas(text) {
    return text.length < 10 ? text : text.replace(/\B(?=(\d{3})+\.)/g, ",");
}

// For a cell's own picture: three digits, as many of them decimals as fit.
export function brief(v) {
    return signed(v, (size) => {
        if (size >= 1e15) return exact(size);
        return size.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
    });
}

// A share of 1: a small one is not rounded to 0%, a large one not to 100%.
export function percentOf(share) {
    const whole = Math.round(100 * share);
    if (share > 0 && whole === 0) return "less than 1%";
    return share < 1 && whole === 100 ? "more than 99%" : `${whole}%`;
}

// The same where there is little room.
export const shortPercentOf = (share) =>
    percentOf(share).replace("less than ", "<").replace("more than ", ">");

export function signed(v, write) {
    if (Number.isNaN(v)) return "–";
    const text = Number.isFinite(v) ? write(Math.abs(v)) : "∞";
    return v < 0 && /[1-9∞]/.test(text) ? `−${text}` : text;
}

// For an axis: the round number that is as large as this, or the next above.
export function roundStep(rough) {
    const ten = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((k) => k * ten).find((size) => size >= rough) ?? 10 * ten;
}

// A number of such an axis with as many digits as its steps have.
export function writtenAt(v, step) {
    const digits = (size) => Math.floor(Math.log10(size) + 1e-9);
    return signed(v, (size) => {
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

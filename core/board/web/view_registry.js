// The views by name. Each script in views/ registers one, which draws (host, data, send, colours,
// room): `send` reports a clicked cell; `room` is the available width and height, whether all must
// fit, and the zoom. A view may return a function that moves the highlight to another cell in the
// same drawing.

export const VIEWS = {};

export function registerView(name, draw) {
    VIEWS[name] = draw;
}

// What this browser keeps under a name; where it keeps nothing, for as long as the page is open.

const unkept = {};

export function remembered(name, otherwise) {
    if (name in unkept) return unkept[name];
    try {
        return JSON.parse(localStorage.getItem(name)) ?? otherwise;
    } catch {
        return otherwise;
    }
}

export function remember(name, value) {
    delete unkept[name];
    try {
        localStorage.setItem(name, JSON.stringify(value));
    } catch {
        unkept[name] = value;
    }
}

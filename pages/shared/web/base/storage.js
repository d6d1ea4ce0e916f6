// Values kept in this browser by name; without storage, only while the page is open.

const unkept = {};

export function readStored(name, otherwise) {
    if (name in unkept) return unkept[name];
    try {
        return JSON.parse(localStorage.getItem(name)) ?? otherwise;
    } catch {
        return otherwise;
    }
}

export function store(name, value) {
    delete unkept[name];
    try {
        localStorage.setItem(name, JSON.stringify(value));
    } catch {
        unkept[name] = value;
    }
}

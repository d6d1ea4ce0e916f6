// The address as boards and the app's scripts know it. The app puts its own in
// (pages/shared/web/base/navigation.js); without it, in an HTML file, an act leads nowhere.

/** @type {import("./types.d.ts").Address} */
export const address = /** @type {any} */ ({
    act: () => {},
    choose: (_chooses, cell, host) => host.followsAlone(cell),
    edit: () => false,
    edits: () => [],
    isAnswered: () => true,
    limits: () => ({ most: 0, largest: 0, decimals: 0 }),
    of: () => "",
    row: () => null,
    value: () => "",
});

// Shown in a lecturer's window while a class joins: a large QR code, the address, and the letters
// to type. Esc or any act closes it.

import { make, makeButton } from "../../../../core/board/web/dom.js";
import { drawCode } from "../qr.js";
import { copyText } from "../copy.js";
import { closeCard, room, writeClassLink } from "./socket.js";

export function drawDoor(card) {
    const { code, door, followers } = room;
    if (!door) return void make("p", {}, card, "A moment …");
    const both = make("div", { class: "ab-join" }, card), text = make("div", {}, both);
    if (door.picture) drawCode(both, door.picture, "A QR code of the link");
    make("h2", {}, text, "Scan, or open");
    const shown = door.address.replace(/^https?:\/\/|\/$/g, "");
    make("p", { class: "ab-join-address" }, text, shown);
    make("h2", {}, text, "and type");
    make("p", { class: "ab-room-letters" }, text, code);
    const here = followers === 1 ? "1 is here" : `${followers} are here`;
    make("p", { class: "ab-join-here" }, text, here);
    const ways = make("p", { class: "ab-room-ways" }, text);
    makeButton(ways, "Close", closeCard, {
        class: "ab-main",
        title: "Esc; the next step closes it, too",
    });
    const copies = makeButton(ways, "Copy the link", async () => {
        said.textContent = await copyText(writeClassLink(), () => {});
        copies.after(said);
    });
    const said = make("span", { role: "status" }, ways);
    const small = make("div", { class: "ab-small" }, text);
    make("p", {}, small, door.note);
    const privacy =
        "Whoever comes in sees this page as you see it. Nothing is kept of who follows: no names, no addresses.";
    const alone = " The class lives in the memory of one server, and ends with it.";
    make("p", {}, small, privacy + (door.shared ? "" : alone));
}

export function beginDoor() {
    const away = () => room.card === "door" && closeCard();
    window.addEventListener("attention-acted", away);
    window.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || room.card !== "door") return;
        event.preventDefault();
        away();
    }, true);
}

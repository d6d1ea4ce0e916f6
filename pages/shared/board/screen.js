// What a reader's screen is: a lecture's, or one on which nothing is to move.

export const lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const inLecture = () => Boolean(document.querySelector(".st-key-lecturing"));

// Whether the user prefers reduced motion, and whether this is a lecture.

export const lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const inLecture = () => Boolean(document.querySelector(".st-key-lecturing"));

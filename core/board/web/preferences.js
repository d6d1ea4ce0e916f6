// Whether the user prefers reduced motion, and whether this is a lecture.

export const prefersLessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const isInLecture = () => Boolean(document.querySelector(".st-key-lecturing"));

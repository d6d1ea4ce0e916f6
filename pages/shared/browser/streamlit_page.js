// Streamlit's page: all that our scripts know of it, what for, and what happens where a version has
// it no more. A test looks for each on a page of every version that is allowed. What style sheets
// know of it stands in streamlit_page.css.

// all of a page: fonts, ground and light; without it a class, the glossary and print fail
export const APP = ".stApp";
// what scrolls: without it a turned page stays where it was scrolled to
export const MAIN = "[data-testid=stMain]";
// what a page draws: without it there are no slides, and no page as a file
export const PAGE = "[data-testid=stMainBlockContainer]";
// without it the setup would stand in a saved page
export const SIDEBAR = "[data-testid=stSidebar]";
// without it a phone's setup stays over a class, or beside a page that has no room for it
export const CLOSES_SIDEBAR = "[data-testid=stSidebarCollapseButton] button";
// without it a link of its menu, which is hidden, would drop the setup
export const MENU_LINK = "[data-testid=stSidebarNavLink]";
// parts that belong together: without it an exercise is shown by its reply
export const BLOCK = ".stVerticalBlock";
// one of its elements: without it a saved page is empty
export const ELEMENT = "[data-testid=stElementContainer]";
// around what we draw: without it dark boards are printed dark
export const COMPONENT = ".stBidiComponent";
export const HTML = ".stHtml"; // a text of ours: without it the focus in one is lost with an answer
export const CHART = ".stVegaLiteChart"; // without it a slide may be made before its chart
// what is still to come: without it a slide may be made too early
export const SKELETON = "[data-testid=stSkeleton]";
export const STALE = "[data-stale=true]"; // what is of an older answer: the same
// the same
export const isRunning = (doc) => doc.querySelector(APP).dataset.testScriptState === "running";
// what folds: without it a saved page has its heading alone
export const EXPANDER = "[data-testid=stExpander]";
export const EXPANDED = "[data-testid=stExpanderDetails]"; // what is in one
export const TEXTS = ["stHeading", "stMarkdown", "stText", "stHtml", "stMarkdownContainer"].map((
    name,
) => `[data-testid=${name}]`); // without one a saved page lacks its texts
// a heading's link to itself: without it that stands in what is saved
export const HEADING_TOOLS = "[data-testid=stHeaderActionElements]";
export const ICON_IN_TEXT = "[role=img][aria-label$=' icon']"; // the same in a sentence
// a sign that is a word in another font: without it a saved page has the word
export const ICON = "[data-testid=stIconMaterial]";
// without it a file counts only where it is dropped on its own place
export const UPLOADER = "[data-testid=stFileUploader]";
// over charts and tables: without it they would stand on slides
export const TOOLS = "[data-testid=stElementToolbar]";

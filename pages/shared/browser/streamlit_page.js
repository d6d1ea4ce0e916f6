// Streamlit's page: all that our scripts know of it, what for, and what happens where a version has it no more. A test looks for each
// on a page of every version that is allowed. What style sheets know of it stands in streamlit_page.css.

export const APP = ".stApp"; // all of a page: fonts, ground and light; without it a class, the glossary and print fail
export const MAIN = "[data-testid=stMain]"; // what scrolls: without it a turned page stays where it was scrolled to
export const PAGE = "[data-testid=stMainBlockContainer]"; // what a page draws: without it there are no slides, and no page as a file
export const SIDEBAR = "[data-testid=stSidebar]"; // without it the setup would stand in a saved page
export const CLOSES_SIDEBAR = "[data-testid=stSidebarCollapseButton] button"; // without it a phone's setup stays over a class
export const MENU_LINK = "[data-testid=stSidebarNavLink]"; // without it a link of its menu, which is hidden, would drop the setup
export const BLOCK = ".stVerticalBlock"; // parts that belong together: without it an exercise is shown by its reply
export const ELEMENT = "[data-testid=stElementContainer]"; // one of its elements: without it a saved page is empty
export const COMPONENT = ".stBidiComponent"; // around what we draw: without it dark boards are printed dark
export const HTML = ".stHtml"; // a text of ours: without it the focus in one is lost with an answer
export const CHART = ".stVegaLiteChart"; // without it a slide may be made before its chart
export const SKELETON = "[data-testid=stSkeleton]"; // what is still to come: without it a slide may be made too early
export const STALE = "[data-stale=true]"; // what is of an older answer: the same
export const isRunning = (doc) => doc.querySelector(APP).dataset.testScriptState === "running"; // the same
export const EXPANDER = "[data-testid=stExpander]"; // what folds: without it a saved page has its heading alone
export const EXPANDED = "[data-testid=stExpanderDetails]"; // what is in one
export const TEXTS = ["stHeading", "stMarkdown", "stText", "stHtml", "stMarkdownContainer"].map((
    name,
) => `[data-testid=${name}]`); // without one a saved page lacks its texts
export const HEADING_TOOLS = "[data-testid=stHeaderActionElements]"; // a heading's link to itself: without it that stands in what is saved
export const ICON_IN_TEXT = "[role=img][aria-label$=' icon']"; // the same in a sentence
export const ICON = "[data-testid=stIconMaterial]"; // a sign that is a word in another font: without it a saved page has the word
export const UPLOADER = "[data-testid=stFileUploader]"; // without it a file counts only where it is dropped on its own place
export const TOOLS = "[data-testid=stElementToolbar]"; // over charts and tables: without it they would stand on slides

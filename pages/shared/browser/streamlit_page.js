// Streamlit's page: all that our scripts know of it, what for, and what happens where a version has
// it no more. A test looks for each on a page of every version that is allowed. What style sheets
// know of it stands in streamlit_page.css.

// all of a page: fonts, ground and light; without it a class, the glossary and print fail
export const APP = ".stApp";
// what scrolls: without it a turned page stays where it was scrolled to
export const MAIN = "[data-testid=stMain]";
// what a page draws: without it a class's question covers nothing, and paper has no address
export const PAGE = "[data-testid=stMainBlockContainer]";
// without it the focus stays in the setup that a lecture folds away
export const SIDEBAR = "[data-testid=stSidebar]";
// without it a phone's setup stays over a class, or beside a page that has no room for it
export const CLOSES_SIDEBAR = "[data-testid=stSidebarCollapseButton] button";
// without it a link of its menu, which is hidden, would drop the setup
export const MENU_LINK = "[data-testid=stSidebarNavLink]";
// parts that belong together: without it an exercise is shown by its reply
export const BLOCK = ".stVerticalBlock";
// around what we draw: without it dark boards are printed dark
export const COMPONENT = ".stBidiComponent";
export const HTML = ".stHtml"; // a text of ours: without it the focus in one is lost with an answer
// without it a file counts only where it is dropped on its own place
export const UPLOADER = "[data-testid=stFileUploader]";

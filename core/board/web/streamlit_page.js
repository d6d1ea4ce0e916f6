// All that our scripts know of Streamlit's page, the purpose, and what fails if a version changes
// it. A test checks each on every supported version. For style sheets see streamlit_page.css.

// the whole page: else a class, the glossary and print fail
export const APP = ".stApp";
// the scroll container: else a new page keeps the old scroll position
export const MAIN = "[data-testid=stMain]";
// a page's content: else a class's question covers nothing, and a printout has no address
export const PAGE = "[data-testid=stMainBlockContainer]";
// else the focus stays in the setup that a lecture hides
export const SIDEBAR = "[data-testid=stSidebar]";
// else a phone's setup stays over a class, or beside a page without room for it
export const CLOSES_SIDEBAR = "[data-testid=stSidebarCollapseButton] button";
// else a link of its menu, which is hidden, would drop the setup
export const MENU_LINK = "[data-testid=stSidebarNavLink]";
// a group of elements: else an exercise opens scrolled to its reply
export const BLOCK = ".stVerticalBlock";
// around our components: else dark boards are printed dark
export const COMPONENT = ".stBidiComponent";
export const HTML = ".stHtml"; // our HTML texts: else a rerun drops the focus in one
// else files can only be dropped on the uploader itself
export const UPLOADER = "[data-testid=stFileUploader]";

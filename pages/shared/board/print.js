// On paper a link cannot be followed, so it is spelled out, and the page says where it was printed from. See print.css.

function spellOut() {
  for (const link of document.querySelectorAll("[data-testid=stMain] a[href]")) link.dataset.address = link.href;
  document.querySelector("[data-testid=stMainBlockContainer]")?.setAttribute("data-address", location.href);
}
window.addEventListener("beforeprint", spellOut);

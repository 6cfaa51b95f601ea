// The colours: those of the system, light or dark. The choice is kept in this browser.

const KEY = "spream-theme";
const CHOICES = ["auto", "light", "dark"];

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is disabled
  }
}

function apply(choice) {
  if (choice === "auto") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = choice;
  }
}

/** Applies the stored choice and follows the select. */
export function startTheme(select) {
  const known = CHOICES.includes(stored()) ? stored() : "auto";
  select.value = known;
  apply(known);
  select.addEventListener("change", () => {
    apply(select.value);
    try {
      localStorage.setItem(KEY, select.value);
    } catch {
      // the choice lasts as long as the page
    }
  });
}

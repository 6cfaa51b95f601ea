// The marks of workers: a letter, and one of eight colours. A mark is kept as long as the page is open.

const COLOURS = 8;
const NOBODY = { letter: "·", style: "nobody", name: "nobody" };

export class Owners {
  #marks = new Map();

  of(worker) {
    if (worker === null || worker === undefined) {
      return NOBODY;
    }
    let mark = this.#marks.get(worker);
    if (!mark) {
      const place = this.#marks.size;
      mark = { letter: letters(place), style: `worker-${place % COLOURS}`, name: worker };
      this.#marks.set(worker, mark);
    }
    return mark;
  }
}

function letters(place) {
  const rest = Math.floor(place / 26);
  return (rest ? letters(rest - 1) : "") + String.fromCharCode(65 + (place % 26));
}

/** A PNG of 424 × 102 black and white pixels that shows "TOTAL 1234" in large letters. */
export const TOTAL_1234 = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAagAAABmAQAAAAC2XDgdAAAAh0lEQVR42u3WUQ7AEAyA4SYO4EiuviM5gMSoWLNNFrPH/eKh6NcHEUheaYJCoV' +
    'Ao1FAlEfFZJFjgj4StJvWlHANqqHTp1E1F6ZPZ1fqo90rzDUbUlCrn9Ko02ZUYNafuO9+GydeCqDXlFKb5W/Snqj43ptq7o7eo0/OsAepB8dND' +
    'oVAo1He1A1rVWmzqZcwgAAAAAElFTkSuQmCC',
  'base64',
);

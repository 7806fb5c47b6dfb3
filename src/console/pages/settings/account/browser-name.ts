/** The name of a browser in its User-Agent, as people know it. Pure. */

type Naming = readonly [name: string, within: RegExp]

/** The first that matches: most browsers name those that they resemble as well. */
const browsers: Naming[] = [
  ['Edge', /Edg(?:A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS|Chromium)\//],
  ['Safari', /Version\/.*Safari\//],
]

const systems: Naming[] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['ChromeOS', /CrOS/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
]

const nameIn = (names: Naming[], text: string) => names.find(([, within]) => within.test(text))?.[0]

/** `Firefox on Windows`; the text itself if it is not that of a known browser, such as a program's. */
export function browserName(userAgent: string): string {
  const browser = nameIn(browsers, userAgent)
  if (!browser) return userAgent
  const system = nameIn(systems, userAgent)
  return system ? `${browser} on ${system}` : browser
}

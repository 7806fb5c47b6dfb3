/** The API document as a page, rendered on the server and complete without a script. Source: contract 9, `/docs`. */
import type { ApiDocument } from '../document.ts'
import { operationsOf, type PageDocument, type Placed, pageDocument } from './document.ts'
import { operationTexts, sharedAnswer } from './operation.ts'
import { namedSchema } from './schema.ts'
import { escaped, markdown, schemaId, tagId } from './text.ts'

/** The page loads from and sends to no other host. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The paths of the page's files, which change with their contents. */
interface PageFiles {
  style: string
  script: string
}

const entry = ({ method, path, operation: { operationId: id, summary = id } }: Placed) =>
  `<li data-words="${escaped(`${method} ${path} ${summary} ${id}`.toLowerCase())}"><a href="#${escaped(id)}">${escaped(summary)}</a></li>`

const group = (name: string, entries: string[]) =>
  `<details><summary>${escaped(name)}</summary><ul>${entries.join('')}</ul></details>`

function navigation(document: PageDocument): string {
  const chapters = document['x-tagGroups'].map(({ name, tags }) => {
    const groups = tags.map((tag) => group(tag, operationsOf(document, tag).map(entry)))
    return `<h2>${escaped(name)}</h2>${groups.join('')}`
  })
  const schemas = Object.keys(document.components.schemas).sort()
  const links = schemas.map(
    (name) => `<li data-words="${escaped(name.toLowerCase())}"><a href="#${schemaId(name)}">${escaped(name)}</a></li>`,
  )
  return `${chapters.join('')}<h2>Shapes</h2>${group('Schemas', links)}`
}

const head = ({ info }: PageDocument, { style, script }: PageFiles) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)} API</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
</head>`

const credentialsText = ({ components }: PageDocument) =>
  Object.entries(components.securitySchemes)
    .map(([name, { description }]) => `<dt>${escaped(name)}</dt><dd>${markdown(description)}</dd>`)
    .join('')

/** The page in pieces, so that rendering can pause for other work. */
export function* pagePieces(made: ApiDocument, files: PageFiles): Generator<string> {
  const document = pageDocument(made)
  const { info, tags, components } = document
  yield `${head(document, files)}
<body>
<a class="skip" href="#content">Skip to content</a>
<aside>
<p><a href="/">${escaped(info.title)}</a> ${escaped(info.version)} · <a href="/docs/json">OpenAPI</a></p>
<label for="search">Search <small>(/)</small></label><input id="search" type="search" autocomplete="off">
<p id="found" role="status"></p>`
  yield `<nav aria-label="Operations and schemas">${navigation(document)}</nav>
</aside>
<main id="content" tabindex="-1">
<h1>${escaped(info.title)} API</h1>
<p>${escaped(info.summary)}</p>
${markdown(info.description)}
<h2>Credentials</h2><dl>${credentialsText(document)}</dl>`

  const textOf = operationTexts(document)
  for (const { name, description } of tags) {
    yield `<h2 id="${tagId(name)}">${escaped(name)}</h2><p>${escaped(description)}</p>`
    for (const placed of operationsOf(document, name)) yield textOf(placed)
  }
  yield '<h2 id="refusals">Refusals</h2>'
  for (const name of Object.keys(components.responses).sort()) {
    const answer = components.responses[name]
    if (answer) yield sharedAnswer(name, answer)
  }
  yield '<h2 id="schemas">Schemas</h2>'
  for (const name of Object.keys(components.schemas).sort()) yield namedSchema(name, components.schemas[name] ?? {})
  yield '</main>\n</body>\n</html>\n'
}

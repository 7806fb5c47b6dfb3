/** Plain pages without scripts and external resources. */

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element or an attribute. */
export const text = (value: string): string => value.replace(/[&<>"']/g, (character) => entities[character] as string)

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 36rem }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem } dt { font-weight: 600 } dd { margin: 0 }
form { margin: 1rem 0 } fieldset { border: 1px solid; padding: 1rem } label { display: block; margin: .25rem 0 }
button { font: inherit; padding: .5rem 1rem; margin: .25rem .5rem .25rem 0 }
[role=status] { border-left: .25rem solid; padding-left: .75rem }
`

/** Allows only the inline style; forms are sent to this server, which redirects to the console. */
export const pagePolicy = (consoleUrl: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${new Bun.CryptoHasher('sha256').update(style).digest('base64')}'`,
    `form-action 'self' ${new URL(consoleUrl).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** `main` is HTML. */
export const page = (title: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
${main}
<p><small>This is the embedded payment provider of Troupe, for development: nobody is charged.</small></p>
</main>
</body>
</html>
`

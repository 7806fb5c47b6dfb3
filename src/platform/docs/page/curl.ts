/** An operation as a `curl` command, with the example of its body. */
import type { Parameter, Placed } from './document.ts'

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The shell variable for each kind of credential. */
const credentials: Record<string, string> = {
  apiKey: '-H "Authorization: Bearer $TROUPE_KEY"',
  session: '-b cookies.txt',
  runnerToken: '-H "Authorization: Bearer $TROUPE_RUNNER_TOKEN"',
  attemptToken: '-H "Authorization: Bearer $ATTEMPT_TOKEN"',
}

/** The command. `$TROUPE_URL` is the server; parts in braces are placeholders. */
export function curlOf({ method, path, operation }: Placed, parameters: readonly Parameter[]): string {
  const [asked] = operation.security ?? []
  const queried = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name }) => `${name}={${name}}`)
  const url = `"$TROUPE_URL${path}${queried.length > 0 ? `?${queried.join('&')}` : ''}"`
  const words = [`curl ${method === 'GET' ? '' : `-X ${method} `}${url}`]
  const credential = Object.keys(asked ?? {})
    .map((name) => credentials[name])
    .find(Boolean)
  if (credential) words.push(credential)
  const headers = parameters.filter((each) => each.in === 'header' && each.required)
  for (const { name } of headers) words.push(`-H ${quoted(`${name}: {${name}}`)}`)
  const json = operation.requestBody?.content['application/json']
  if (json) words.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(json.example ?? {}))}`)
  return words.join(' \\\n  ')
}

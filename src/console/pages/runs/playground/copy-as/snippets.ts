/** The start of a run as a command or a program to paste elsewhere. Pure. Source: contract 12. */

export interface Told {
  /** Origin of the API: `https://troupe.example`. */
  baseUrl: string
  /** `project/environment/agent`, or the id of a System Agent. */
  address: string
  /** The body of the request, without files. */
  body: { agentId: string; environmentId?: string; query?: string; reasoningBudget?: string | number }
}

export const clients = ['curl', 'sdk', 'openai'] as const
export type ClientKind = (typeof clients)[number]

const question = 'How can you help?'

/** Quotes for a POSIX shell, where only the closing quote is special inside single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A value as a TypeScript literal: JSON with unquoted field names. */
const literal = (value: object) =>
  `{\n${Object.entries(value)
    .map(([name, each]) => `  ${name}: ${JSON.stringify(each)},\n`)
    .join('')}}`

const withQuery = ({ body }: Told) => ({ ...body, query: body.query ?? question })

const makers: Record<ClientKind, (told: Told) => string> = {
  curl: (told) => `curl -s ${quoted(`${told.baseUrl}/api/v1/agent-runs`)} \\
  -H "Authorization: Bearer $TROUPE_KEY" -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify(withQuery(told)))}`,
  sdk(told) {
    const { agentId: _, environmentId: __, ...others } = withQuery(told)
    return `import { Troupe } from '@troupe/sdk'

const troupe = new Troupe({ baseUrl: ${JSON.stringify(told.baseUrl)}, apiKey: process.env.TROUPE_KEY })
const run = await troupe.runs.start(${literal({ agent: told.address, ...others })})
console.log((await run.output()).text)`
  },
  openai(told) {
    const { query: input, reasoningBudget } = withQuery(told)
    const reasoning = typeof reasoningBudget === 'string' ? { reasoning: { effort: reasoningBudget } } : {}
    return `import OpenAI from 'openai'

const openai = new OpenAI({ baseURL: ${JSON.stringify(`${told.baseUrl}/openai/v1`)}, apiKey: process.env.TROUPE_KEY })
const response = await openai.responses.create(${literal({ model: told.address, input, ...reasoning })})
console.log(response.output_text)`
  },
}

/** A shell command, or a TypeScript or JavaScript module; the API key is in `TROUPE_KEY`. */
export const snippetOf = (client: ClientKind, told: Told): string => makers[client](told)

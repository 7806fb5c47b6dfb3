/** The start of a run as a command or a program to paste elsewhere. Pure. Source: contract 12. */

export interface SnippetInput {
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

const withQuery = ({ body }: SnippetInput) => ({ ...body, query: body.query ?? question })

const makers: Record<ClientKind, (input: SnippetInput) => string> = {
  curl: (input) => `curl -s ${quoted(`${input.baseUrl}/api/v1/agent-runs`)} \\
  -H "Authorization: Bearer $TROUPE_KEY" -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify(withQuery(input)))}`,
  sdk(input) {
    const { agentId: _, environmentId: __, ...others } = withQuery(input)
    return `import { Troupe } from '@troupe/sdk'

const troupe = new Troupe({ baseUrl: ${JSON.stringify(input.baseUrl)}, apiKey: process.env.TROUPE_KEY })
const run = await troupe.runs.start(${literal({ agent: input.address, ...others })})
console.log((await run.output()).text)`
  },
  openai(input) {
    const { query: prompt, reasoningBudget } = withQuery(input)
    const reasoning = typeof reasoningBudget === 'string' ? { reasoning: { effort: reasoningBudget } } : {}
    return `import OpenAI from 'openai'

const openai = new OpenAI({ baseURL: ${JSON.stringify(`${input.baseUrl}/openai/v1`)}, apiKey: process.env.TROUPE_KEY })
const response = await openai.responses.create(${literal({ model: input.address, input: prompt, ...reasoning })})
console.log(response.output_text)`
  },
}

/** A shell command, or a TypeScript or JavaScript module; the API key is in `TROUPE_KEY`. */
export const snippetOf = (client: ClientKind, input: SnippetInput): string => makers[client](input)

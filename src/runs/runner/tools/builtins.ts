/** The builtin tools of every runner. Source: contract 3, `Tool` of kind `builtin`. */
import type { builtinNames } from '../../../authoring/agents/content.ts'
import { OutboundClient } from '../../../platform/outbound/client.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { calculate, expressionCharactersMax } from './calculator.ts'
import { ToolError, type ToolExecutor, type ToolExecutors } from './executor.ts'
import { fetchTool, type PageReader } from './fetch.ts'
import { jsonTool } from './json.ts'
import { timeTool } from './time.ts'

const clockTool = (clock: Clock): ToolExecutor => ({
  idempotent: true,
  description: 'Returns the current date and time in UTC and, if given, in a time zone.',
  inputSchema: {
    type: 'object',
    properties: { timezone: { type: 'string', maxLength: 100, description: 'IANA name, such as Europe/Berlin.' } },
    additionalProperties: false,
  },
  execute({ timezone }) {
    const now = new Date(clock.now())
    if (timezone === undefined) return { now: now.toISOString() }
    return { now: now.toISOString(), timezone, local: localTime(now, String(timezone)) }
  },
})

function localTime(now: Date, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' }).format(now)
  } catch {
    throw new ToolError(`Unknown time zone: ${JSON.stringify(timeZone)}.`)
  }
}

const calculator: ToolExecutor = {
  idempotent: true,
  description:
    'Calculates an arithmetic expression: + - * / % ^, parentheses, pi, e, and the functions abs, ceil, cos, exp, floor, ' +
    'ln, log, max, min, round, sin, sqrt, tan.',
  inputSchema: {
    type: 'object',
    properties: { expression: { type: 'string', minLength: 1, maxLength: expressionCharactersMax } },
    required: ['expression'],
    additionalProperties: false,
  },
  execute: ({ expression }) => ({ result: calculate(String(expression)) }),
}

const echo: ToolExecutor = {
  idempotent: true,
  description: 'Returns its input unchanged.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: true },
  execute: (input) => input,
}

/** For runners outside the server: they may be in a private network, which models must not reach. */
const publicPages: PageReader = new OutboundClient({ allowPrivateAddresses: false, production: true })

/** Each builtin tool by its name; `pages` reads pages for `fetch`. */
export const builtinExecutors = (
  clock: Clock,
  pages: PageReader,
): Record<(typeof builtinNames)[number], ToolExecutor> => ({
  clock: clockTool(clock),
  calculator,
  echo,
  fetch: fetchTool(pages),
  json: jsonTool,
  time: timeTool(clock),
})

/** The builtin tools, with `others` for all other tools; `pages` reads pages for `fetch`. */
export function builtinTools(clock: Clock, others?: ToolExecutors, pages: PageReader = publicPages): ToolExecutors {
  const builtins = builtinExecutors(clock, pages)
  return {
    find: (tool, agent) =>
      'kind' in tool && tool.kind === 'builtin' ? builtins[tool.name] : others?.find(tool, agent),
  }
}

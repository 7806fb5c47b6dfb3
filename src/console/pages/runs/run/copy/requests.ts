/** A run as requests to send elsewhere: one that reads it, and one that starts it again. */
import type { PresentedRun } from '../../../../../runs/present.ts'

/** In single quotes for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

type Started = Pick<PresentedRun, 'agentId' | 'environmentId'>

/** The body of a start with this question. */
const startOf = ({ agentId, environmentId }: Started, query: string) => ({
  agentId,
  ...(environmentId !== null && { environmentId }),
  query,
})

export const readByCurl = (origin: string, runId: string): string =>
  `curl -s ${origin}/api/v1/agent-runs/${runId}?include=output \\\n  -H "Authorization: Bearer $TROUPE_KEY"`

export const startByCurl = (origin: string, run: Started, query: string): string =>
  [
    `curl -s ${origin}/api/v1/agent-runs`,
    '-H "Authorization: Bearer $TROUPE_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(startOf(run, query)))}`,
  ].join(' \\\n  ')

export const startBySdk = (origin: string, run: Started, query: string): string =>
  `import { Troupe } from '@troupe/sdk'

const troupe = new Troupe({ baseUrl: ${JSON.stringify(origin)}, apiKey: process.env.TROUPE_KEY })
const run = await troupe.runs.start(${JSON.stringify(startOf(run, query), null, 2)})
const { text } = await run.output()
`

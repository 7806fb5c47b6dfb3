/**
 * The data of the incident assistant: alerts.json and deployments.json stand for your monitoring, and its notes are
 * appended to timeline.md. `troupe dev` serves it, and so does: troupe worker worker.ts --on
 * incident-assistant/development
 */
import { existsSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'

export const queue = 'incident-assistant'

interface Entry {
  at: string
  service: string
  what: string
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const examples: Record<string, () => Entry[]> = {
  'alerts.json': () => [
    { at: minutesAgo(25), service: 'checkout', what: 'Error rate above 5 % (now 12 %)' },
    { at: minutesAgo(22), service: 'payments', what: 'p95 latency above 2 s (now 6.4 s)' },
  ],
  'deployments.json': () => [
    { at: minutesAgo(31), service: 'payments', what: '2.14.0, by ada' },
    { at: minutesAgo(600), service: 'checkout', what: '7.3.1, by grace' },
  ],
}

/** The entries of the file since then, of one service or of all. */
async function since(file: string, { since: from, service }: { since?: string; service?: string }) {
  if (!existsSync(file)) await writeFile(file, `${JSON.stringify(examples[file]?.() ?? [], null, 2)}\n`)
  const all = JSON.parse(await readFile(file, 'utf8')) as Entry[]
  return all.filter((each) => (!from || each.at >= from) && (!service || each.service === service))
}

export const operations = {
  'monitoring.alerts': async (input: { since?: string; service?: string }) => ({
    alerts: await since('alerts.json', input),
  }),

  'monitoring.deployments': async (input: { since?: string; service?: string }) => ({
    deployments: await since('deployments.json', input),
  }),

  'timeline.note': async ({ at, kind, what, source }: { at: string; kind: string; what: string; source?: string }) => {
    await appendFile('timeline.md', `- ${at} **${kind}** ${what}${source ? ` (${source})` : ''}\n`)
    return { noted: true }
  },
}

/**
 * The API suites over three servers: each request goes to the next one, and they share a database and a Redis. The
 * short list covers the basics of the wings; with `TROUPE_TEST_LONG=1` all suites that use one world over HTTP and do
 * not look behind it.
 */
import { resolve } from 'node:path'

const folder = resolve(import.meta.dir, '..')

const short = [
  'api/isolation/isolation',
  'automation/agent-jobs/jobs',
  'automation/alerts/alerts',
  'automation/applies/targets',
  'automation/inbox/inbox',
  'automation/operations/approvals',
  'automation/workflows/running',
  'delivery/activations/races',
  'events/webhooks/retry',
  'events/webhooks/subscriptions',
  'events/webhooks/webhooks',
  'platform/limits/server',
  'runs/bulk-actions',
  'runs/conversations/conversations',
  'runs/model-gateway/faults',
  'runs/runner-protocol/attempt',
  'runs/costs/costs',
  'runs/start/idempotency',
  'runs/start/idempotency-races',
  'runs/statistics/agreement',
  'runs/stream/stream',
  'tenancy/audit/trail',
  'tenancy/projects/projects',
]

const wings = 'accounts,api,authoring,automation,billing,delivery,events,protocols,runs,tenancy'
/** They open the store's file themselves, or start servers one after the other; */
const looksBehind = /new Database\(|Site\.|openMigrated|openStore|startServer\(|\.file\b/
/** they use SQL that only SQLite has; */
const ofSqlite = /printf\(|json_set\(|json_extract\(|\bpragma |rowid|sqlite_(?:master|schema)|drop trigger/
/** or they let hours pass while they wait, so that each poll of a server is an hour late. */
const racesTheClock = /(?:eventually\(|for \(;;\)|for \(let tries|while \().{0,300}?\.(?:advance|step)\(/s

/** They fail over several servers, and rightly so. */
const alone = [
  // the only server
  'tenancy/processes/processes',
  // each server counts its own streams, and has its own metrics
  'tenancy/streams/limits',
  'tenancy/streams/revocation',
  'events/webhooks/faults',
  // they advance the clock of one server
  'runs/runner-pools/leasing',
  'billing/usage/clock',
  // they know the address of one server: several have a public one
  'accounts/integrations/register',
  'billing/access',
  'billing/checkout',
  'billing/embedded',
  'billing/events',
  'billing/one-contract',
  'billing/periods',
  'billing/usage/budget',
  // they look into the store's file in another way, or with statements that PostgreSQL refuses
  'delivery/variables/organization-variables',
  'tenancy/api-keys/create',
  'tenancy/deletions/agents',
  'tenancy/deletions/organizations',
  'tenancy/deletions/projects',
  'tenancy/projects/create',
  'tenancy/quotas/live-runs',
  // a member who has left is refused earlier at another server
  'tenancy/api-keys/refused',
].map((name) => `${name}.test.ts`)

async function* long(): AsyncGenerator<string> {
  for await (const path of new Bun.Glob(`{${wings}}/**/*.test.ts`).scan(folder)) {
    const text = await Bun.file(resolve(folder, path)).text()
    const isOfWorld = /world\.ts'|troupe\.ts'/.test(text) && !alone.includes(path)
    if (isOfWorld && ![looksBehind, ofSqlite, racesTheClock].some((pattern) => pattern.test(text))) yield path
  }
}

/** Paths of test files. */
export async function spreadFiles(isLong: boolean): Promise<string[]> {
  const found = isLong ? await Array.fromAsync(long()) : short.map((name) => `${name}.test.ts`)
  return found.toSorted().map((path) => resolve(folder, path))
}

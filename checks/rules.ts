/** How the source is laid out: what may import what, and how large a file and a folder may grow. `layout.ts` enforces it. */

/**
 * The layers, from the bottom. An import, of a type too, goes to the same layer or to one above it in this list: never down.
 * Why the wings are in this order: `docs/decisions.md`.
 */
export const layers = [
  'sdk/src', // the client for programs: it knows nothing of the server
  'machines', // lifecycles, as tables of states and events
  'storage', // tables, migrations and every query
  'src/platform', // what every wing stands on: HTTP, the API document, limits, mails, secrets, time
  'src/runtime', // actors, their commands, timers and effects; statecharts for people
  'src/config.ts', // the settings of the server
  // the wings
  'src/events', // the history of Environments, and webhooks that send it
  'src/tenancy', // organizations, members, Projects, Environments, keys, sessions, the audit log, removal
  'src/authoring', // Agents, Definitions, Releases and templates
  'src/delivery', // configuration of Environments, Deployments and activations
  'src/accounts', // integrations and accounts that are connected by OAuth
  'src/runs', // runs of agents: admission, attempts, records, streams, runners, models
  'src/automation', // operations, approvals, workflows, jobs and entities
  'src/protocols', // the protocols of other clients, over runs and Agents
  'src/billing', // plans, subscriptions and who is paid
  // what puts them together
  'src/areas.ts', // the list of all areas
  'src/console', // the console in the browser
  'src/server', // builds everything, and starts and stops it
  'src/main.ts', // starts the server, compiled or not
  'cli', // the command line: it speaks to servers by the SDK, and to a store by itself
] as const

/** The layers that are wings. */
export const wings = layers.slice(layers.indexOf('src/config.ts') + 1, layers.indexOf('src/areas.ts'))

/** What of a wing no other wing imports: how it speaks HTTP, and what operators see of it. */
export const ownFiles = '(?:routes|area|metrics)\\.ts$'

export const linesMax = 300
export const filesMax = 20
export const entriesOfSrcMax = 16

/** A folder that is a sequence: it is read by its newest files, and splitting it would hide their order. */
export const sequences: readonly string[] = ['storage/migrations']

/** Folders of files that a program writes, as large as it likes. */
export const generated: readonly string[] = ['sdk/src/generated']

/**
 * Known exceptions: findings that begin with an entry are ignored. An entry that matches no finding is an error itself, so that
 * it goes with what it is for.
 */
export const notYet: readonly string[] = []

/** Files that something other than an import reads: their exports need no import. */
export const entrances: readonly RegExp[] = [
  /^sdk\/src\/(testing\/)?index\.ts$/, // the public surface of the SDK
  /^sdk\/src\/generated\//, // every resource and shape of the API
  /^cli\/templates\/[^/]+\/worker\.ts$/, // `troupe init` writes it, and `troupe worker` reads its exports
]

/** Our own packages that files import by name, as in `paths` of `tsconfig.json`. */
export const ownPackages: Readonly<Record<string, string>> = {
  '@troupe/sdk': 'sdk/src/index.ts',
  '@troupe/sdk/testing': 'sdk/src/testing/index.ts',
}

/**
 * The shape of a manifest: a Project by names, as kept in a file. Planning checks the rules that a shape cannot
 * express. Source: contract 10, `Manifest`.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { overlaps } from '../../../machines/agent-job.ts'
import type { EnvironmentRow } from '../../../storage/tables.ts'
import { AgentContent, connectionKinds } from '../../authoring/agents/content.ts'
import { GrantedOperations } from '../../authoring/agents/schema.ts'
import { Word } from '../../authoring/definitions/shapes.ts'
import { definitionKinds, Source } from '../../authoring/definitions/source-schema.ts'
import { eventKinds } from '../../events/kinds/kinds.ts'
import type { Issue } from '../../platform/http/answers/errors.ts'
import { Description, Name, oneOf, Slug } from '../../platform/http/schema.ts'
import { issuesMax } from '../../platform/http/validation/deferred-validation.ts'
import { inspector } from '../../platform/http/validation/validation.ts'
import { pointer } from '../../platform/json.ts'
import { vendorIds } from '../../platform/models/vendors.ts'

/** The most bytes of a manifest, which with all its Agents is larger than other bodies. */
export const manifestBytesMax = 4 * 1024 * 1024

export const environmentKinds = ['development', 'preview', 'production'] as const satisfies EnvironmentRow['kind'][]
export type EnvironmentKind = (typeof environmentKinds)[number]

/** The most Agents and Definitions: the most that one Release pins. */
const authoredMax = 100
const variablesMax = 1_000
const connectionsMax = 200
const jobsMax = 200
const webhooksMax = 20
/** The most Agents to which one Connection is bound. */
const bindingsMax = 100

const freeForm = (description: string) => Type.Object({}, { additionalProperties: true, description })

/** By name; the form of names is checked separately, for a better message. */
const named = <Each extends TSchema>(each: Each, maxProperties: number, description: string) =>
  Type.Optional(Type.Record(Type.String(), each, { maxProperties, description }))

const Variable = Type.Object(
  {
    value: Type.Optional(Type.String({ description: 'Its value. It is never shown again.' })),
    fromOrganization: Type.Optional(
      Type.String({ description: 'The name of an organization variable.', examples: ['SHOP_TOKEN'] }),
    ),
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The version of the organization variable; omitted: the current one.' }),
    ),
    secret: Type.Optional(Type.Literal(true, { description: 'It is set elsewhere and must already exist.' })),
  },
  { description: 'Exactly one of `value`, `fromOrganization` and `secret`.' },
)

const Connection = Type.Object({
  kind: oneOf(connectionKinds, { description: 'The kind of service; it never changes.' }),
  settings: freeForm('Its address and settings, without secrets.'),
  credential: Type.Optional(Type.String({ description: 'The label of a provider credential of the organization.' })),
  bind: Type.Optional(
    Type.Array(
      Type.Object({
        agent: Slug('The Agent'),
        bindingKey: Type.String({
          pattern: '^[a-zA-Z0-9_.-]{1,64}$',
          description: 'The key that the Agent uses for it.',
          examples: ['shop'],
        }),
      }),
      {
        maxItems: bindingsMax,
        description:
          'If omitted, the item is available to all Agents under its name. One Connection is created for each binding.',
      },
    ),
  ),
})

const Model = Type.Object({
  provider: Type.Optional(oneOf(vendorIds, { description: 'The vendor; default: the platform default.' })),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A model of the vendor.' })),
  settings: Type.Optional(freeForm('The settings of the model.')),
  credential: Type.Optional(Type.String({ description: 'The label of a provider credential of the organization.' })),
})

const Job = Type.Object({
  agent: Slug('The Agent'),
  schedule: Type.Object({
    cron: Type.String({ minLength: 1, maxLength: 200, examples: ['30 7 * * MON-FRI'] }),
    timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Berlin'] })),
  }),
  query: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100_000,
      description: 'The query for the Agent at each tick; required without a `workflow`.',
    }),
  ),
  workflow: Type.Optional(
    Word('The workflow that each tick starts on behalf of the Agent, in place of a `query`.', 'refund-order'),
  ),
  params: Type.Optional(freeForm('The params of the workflow; default `{}`.')),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether it runs on its schedule; default true.' })),
  overlap: Type.Optional(oneOf(overlaps, { description: 'Default `skip`.' })),
})

const Webhook = Type.Object({
  eventTypes: Type.Array(oneOf(eventKinds), { minItems: 1, maxItems: eventKinds.length, uniqueItems: true }),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Whether it gets deliveries; default: a new one does, another stays as it is.' }),
  ),
})

const Section = Type.Object({
  variables: named(Variable, variablesMax, 'By name.'),
  connections: named(Connection, connectionsMax, 'By name.'),
  models: named(Model, authoredMax, 'By the slug of the Agent.'),
  jobs: named(Job, jobsMax, 'By name.'),
  webhooks: named(Webhook, webhooksMax, 'By the URL of the endpoint.'),
})

/** `inner`: the schemas of the contents of Agents and the sources of Definitions. */
const shape = (inner: { source: TSchema; content: TSchema; granted: TSchema }) =>
  Type.Object(
    {
      version: Type.Literal(1),
      project: Type.Object({ slug: Slug('Unique in the organization'), name: Type.Optional(Name()) }),
      definitions: named(
        Type.Object({
          kind: oneOf(definitionKinds, { description: 'The content of its source, which is immutable.' }),
          description: Type.Optional(Description()),
          source: inner.source,
        }),
        authoredMax,
        'By name.',
      ),
      agents: named(
        Type.Object({
          name: Type.Optional(Name('Default: the slug.')),
          description: Type.Optional(Description()),
          content: inner.content,
          grantedOperations: Type.Optional(inner.granted),
        }),
        authoredMax,
        'By slug.',
      ),
      environments: Type.Optional(
        Type.Object({
          development: Type.Optional(Section),
          preview: Type.Optional(Section),
          production: Type.Optional(Section),
        }),
      ),
    },
    {
      $id: 'Manifest',
      description:
        'A Project by names: `docs/applies.md`. Agents without `grantedOperations` are granted what their tools need; ' +
        'delegates name their Agent by `agent: slug`.',
    },
  )

/** As the API document shows it. */
export const ManifestShape = shape({ source: Source, content: AgentContent, granted: GrantedOperations })

const Outline = shape({
  source: freeForm('A source.'),
  content: freeForm('A content.'),
  granted: Type.Array(Type.Unknown()),
})
export type Manifest = Static<typeof Outline>
export type ManifestSection = Static<typeof Section>
export type ManifestVariable = Static<typeof Variable>
export type ManifestConnection = Static<typeof Connection>

const inspect = inspector(Outline, '', issuesMax)

const slugs = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const words = /^[a-zA-Z0-9_-]{1,64}$/
const variableNames = /^[A-Z][A-Z0-9_]{0,127}$/
/** The longest name of Connections and jobs. */
export const nameLengthMax = 200
const controls = /\p{Cc}/u
/** The forms of names, with their messages. */
const rules = {
  definitions: [
    (name: string) => words.test(name),
    'A Definition has 1 to 64 letters, digits, `_` or `-` as its name.',
  ],
  agents: [(name: string) => slugs.test(name), 'A slug has 1 to 63 lower-case letters, digits and inner hyphens.'],
  variables: [
    (name: string) => variableNames.test(name),
    'A variable has 1 to 128 capitals, digits and `_` as its name, a capital first.',
  ],
  named: [
    (name: string) => name.length <= nameLengthMax && name.trim() === name && name !== '' && !controls.test(name),
    'A name has 1 to 200 characters, no space around it and no control characters.',
  ],
  webhooks: [(name: string) => name.length <= 2048, 'The URL of an endpoint has at most 2,048 characters.'],
} as const

function misnamed(things: object | undefined, path: string, rule: keyof typeof rules): Issue[] {
  const [fits, message] = rules[rule]
  return Object.keys(things ?? {}).flatMap((name) => (fits(name) ? [] : [{ path: `${path}${pointer(name)}`, message }]))
}

/** The issues of a manifest's shape; paths are JSON Pointers into it. */
export function shapeIssues(manifest: unknown): Issue[] {
  const issues = inspect(manifest)
  // names can be checked only in parts with a valid shape
  if (issues.length > 0) return issues
  const { definitions, agents, environments } = manifest as Manifest
  return [
    ...misnamed(definitions, '/definitions', 'definitions'),
    ...misnamed(agents, '/agents', 'agents'),
    ...environmentKinds.flatMap((kind) => {
      const { variables, connections, models, jobs, webhooks } = environments?.[kind] ?? {}
      const at = `/environments/${kind}`
      return [
        ...misnamed(variables, `${at}/variables`, 'variables'),
        ...misnamed(connections, `${at}/connections`, 'named'),
        ...misnamed(models, `${at}/models`, 'agents'),
        ...misnamed(jobs, `${at}/jobs`, 'named'),
        ...misnamed(webhooks, `${at}/webhooks`, 'webhooks'),
      ]
    }),
  ]
}

/**
 * The manifest without the parts of invalid shape, so that the rest can be planned; undefined if it does not name its
 * Project.
 */
export function soundPart(manifest: unknown, issues: readonly Issue[]): Manifest | undefined {
  if (issues.some(({ path }) => path === '' || path.startsWith('/project'))) return undefined
  const sound = structuredClone(manifest) as Record<string, unknown>
  for (const { path } of issues) {
    const names = path.split('/').slice(1, path.startsWith('/environments/') ? 5 : 3)
    let inside: unknown = sound
    for (const name of names.slice(0, -1)) inside = (inside as Record<string, unknown> | undefined)?.[name]
    const last = names.at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof inside === 'object' && inside !== null && last !== undefined) {
      delete (inside as Record<string, unknown>)[last]
    }
  }
  return sound as Manifest
}

/** The manifest with the names of its Project and Agents as the API stores them. */
export function withTrimmedNames(manifest: Manifest): Manifest {
  const trimmed = <Each extends { name?: string }>(each: Each): Each =>
    each.name === undefined ? each : { ...each, name: each.name.trim() }
  const { project, agents } = manifest
  return {
    ...manifest,
    project: trimmed(project),
    ...(agents && { agents: Object.fromEntries(Object.entries(agents).map(([slug, each]) => [slug, trimmed(each)])) }),
  }
}

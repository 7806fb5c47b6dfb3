/** Definitions of a manifest. */
import type { DefinitionRevisionRow, DefinitionRow } from '../../../../storage/tables.ts'
import { validated } from '../../../authoring/definitions/revision-request.ts'
import type { DefinitionSource } from '../../../authoring/definitions/source.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import { pointer } from '../../../platform/json.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import type { Manifest } from '../manifest.ts'
import type { Authored } from '../standing.ts'
import { differencesBelow, differing, type Planning, type Step, validating } from '../step.ts'

type WantedDefinition = NonNullable<Manifest['definitions']>[string]

export async function planDefinitions(planning: Planning): Promise<void> {
  const { manifest, standing, organizationId, steps, issues, sound } = planning
  for (const [name, wanted] of Object.entries(manifest.definitions ?? {})) {
    const at = `/definitions${pointer(name)}`
    const source = await validating(planning, { '/body/source': `${at}/source` }, () =>
      validated(wanted.kind, { source: wanted.source as unknown as DefinitionSource }, organizationId),
    )
    if (source) sound.definitions.add(name)
    const found = standing.definitions.get(name)
    if (found && found.row.status !== 'active') {
      issues.push({ path: at, message: 'A Definition of this name is being deleted; apply again once it is gone.' })
    } else if (found && found.row.kind !== wanted.kind) {
      const message = `The Definition is ${found.row.kind}; its kind never changes. Choose another name.`
      issues.push({ path: `${at}/kind`, message })
    } else if (source) {
      steps.push(found ? await changing(planning, name, wanted, source, found) : creating(name, wanted, source))
    }
    await nextTurn()
  }
}

const changeOf = (name: string) => ({ kind: 'definition', name, environment: null }) as const

function creating(name: string, { kind, description }: WantedDefinition, source: DefinitionSource): Step {
  return {
    change: { ...changeOf(name), action: 'create', differences: [] },
    permissions: ['definitions:create'],
    stamp: digestOf(source),
    write: (writer) =>
      writer.createDefinition({ name, kind, ...(description !== undefined && { description }) }, source),
  }
}

/** The step of an existing Definition: a new revision, unless the active or the newest one is as wanted. */
async function changing(
  planning: Planning,
  name: string,
  { description }: WantedDefinition,
  source: DefinitionSource,
  { row, serving, latest }: Authored<DefinitionRow, DefinitionRevisionRow>,
): Promise<Step> {
  const digest = digestOf(source)
  const described =
    description === undefined ? [] : differing('/description', row.description ?? undefined, description)
  const describe = { id: row.id, ...(described.length > 0 && { description: description as string }) }
  const current = [serving, latest].find((each) => each?.source_digest === digest)
  if (current) {
    const differences = [...described, ...differing('/revision', serving?.number ?? null, current.number)]
    return {
      change: { ...changeOf(name), action: differences.length > 0 ? 'update' : 'unchanged', differences },
      ...(described.length > 0 && {
        permissions: ['definitions:create'] as const,
        write: (writer) => writer.reviseDefinition(describe),
      }),
    }
  }
  const before: unknown = latest ? JSON.parse(latest.source) : undefined
  return {
    change: {
      ...changeOf(name),
      action: 'revise',
      differences: [...described, ...(await differencesBelow(planning, '/source', before, source))],
    },
    permissions: ['definitions:create'],
    stamp: digest,
    write: (writer) => writer.reviseDefinition({ ...describe, source }),
  }
}

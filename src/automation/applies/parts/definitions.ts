/** Definitions of a manifest. */
import { validated } from '../../../authoring/definitions/revision-request.ts'
import type { DefinitionSource } from '../../../authoring/definitions/source.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import { pointer } from '../../../platform/json.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import { differencesBelow, differing, type Planning, validating } from '../step.ts'

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
      const { kind, description } = wanted
      const change = { kind: 'definition', name, environment: null } as const
      if (!found) {
        steps.push({
          change: { ...change, action: 'create', differences: [] },
          permissions: ['definitions:create'],
          stamp: digestOf(source),
          write: (writer) =>
            writer.createDefinition({ name, kind, ...(description !== undefined && { description }) }, source),
        })
      } else {
        const { id, description: was } = found.row
        const digest = digestOf(source)
        const described = description === undefined ? [] : differing('/description', was ?? undefined, description)
        const describe = { id, ...(described.length > 0 && { description: description as string }) }
        if (found.serving?.source_digest === digest || found.latest?.source_digest === digest) {
          const from = found.serving?.number
          const to = found.serving?.source_digest === digest ? from : found.latest?.number
          const differences = [...described, ...differing('/revision', from ?? null, to)]
          steps.push({
            change: { ...change, action: differences.length > 0 ? 'update' : 'unchanged', differences },
            ...(described.length > 0 && {
              permissions: ['definitions:create'] as const,
              write: (writer) => writer.reviseDefinition(describe),
            }),
          })
        } else {
          const before: unknown = found.latest ? JSON.parse(found.latest.source) : undefined
          steps.push({
            change: {
              ...change,
              action: 'revise',
              differences: [...described, ...(await differencesBelow(planning, '/source', before, source))],
            },
            permissions: ['definitions:create'],
            stamp: digest,
            write: (writer) => writer.reviseDefinition({ ...describe, source }),
          })
        }
      }
    }
    await nextTurn()
  }
}

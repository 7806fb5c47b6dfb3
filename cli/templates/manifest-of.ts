/**
 * Converts a template of the server to a manifest for a folder, whose worker executes the operations that the template
 * calls at a service.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { templates } from '../../src/authoring/templates/catalogue.ts'
import type { Template } from '../../src/authoring/templates/template.ts'
import type { Manifest } from '../manifest/file.ts'
import { additions } from './additions.ts'

/** The templates for folders, by slug. */
export const findTemplate = (slug: string): Template | undefined => templates.find((each) => each.slug === slug)
export const templateNames: readonly string[] = templates.map(({ slug }) => slug)

/** The source of its worker. */
export const workerOf = ({ slug }: Template): string => readFileSync(join(import.meta.dir, slug, 'worker.ts'), 'utf8')

/** The operations of its worker. */
export async function servedBy({ slug }: Template): Promise<{ queue: string; operations: readonly string[] }> {
  const { queue, operations } = (await import(join(import.meta.dir, slug, 'worker.ts'))) as {
    queue: string
    operations: object
  }
  return { queue, operations: Object.keys(operations) }
}

export async function manifestOf(template: Template, project: string): Promise<Manifest> {
  const { queue, operations } = await servedBy(template)
  const addition = additions[template.slug]
  const handler = { type: 'worker', queue }
  const definitions = Object.fromEntries([
    ...template.definitions.map(({ name, kind, description, source }) => [
      name,
      {
        kind,
        description,
        source:
          'operations' in source
            ? {
                operations: source.operations.map((each) =>
                  operations.includes(`${name}.${each.name}`) ? { ...each, handler } : each,
                ),
              }
            : source,
      },
    ]),
    ...(addition
      ? [
          [
            addition.definition,
            {
              kind: 'operations',
              description: addition.description,
              source: { operations: [{ ...addition.operation, handler }] },
            },
          ],
        ]
      : []),
  ])
  const agents = Object.fromEntries(
    template.agents.map(({ slug, name, description, content, grantedOperations }) => {
      // the worker executes the operations that used a Connection
      const { bindings: _, ...rest } = content
      const added = addition?.agent === slug ? addition : undefined
      const operation = added && `${added.definition}.${added.operation.name}`
      return [
        slug,
        {
          name,
          description,
          content: added
            ? {
                ...rest,
                instructions: `${rest.instructions}\n\n${added.says}`,
                tools: [...(rest.tools ?? []), { kind: 'operation', name: added.tool, operation }],
              }
            : rest,
          grantedOperations: operation ? [...grantedOperations, operation] : grantedOperations,
        },
      ]
    }),
  )
  return { version: 1, project: { slug: project, name: template.name }, definitions, agents }
}

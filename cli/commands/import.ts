/** `import`: operations from an API or an MCP server, for a Definition. */
import type { Command } from 'commander'
import { cutDocument, type Import, type ImportOperationsInput, operationsOfDocument } from '../../sdk/src/index.ts'
import { examples, type Running, several, speaks, works } from '../command.ts'
import type { Context } from '../context.ts'
import { fetchDocument, readDocument } from '../documents.ts'
import { findConnection, findDefinition, findPlace, findProject } from '../names.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { oneLine, styled } from '../terminal/text.ts'

interface ImportOptions {
  definition: string
  binding: string
  publish?: boolean
}

interface OpenApiOptions extends ImportOptions {
  project: string
  operations?: string[]
}

interface McpOptions extends ImportOptions {
  tools?: string[]
}

/** The most operations of one import. */
const operationsMax = 100
/**
 * Documents up to this length are sent whole: they have fewer than the 100,000 values and names that a request may
 * have.
 */
const wholeCharactersMax = 200_000

/** The required part of the document, so that a large document fits into a request. */
function wantedOf(context: Context, document: Record<string, unknown>, wanted: readonly string[] | undefined) {
  if (wanted) return cutDocument(document, wanted)
  if (JSON.stringify(document).length <= wholeCharactersMax) return document
  const all = operationsOfDocument(document).map(({ id }) => id)
  if (all.length > operationsMax) {
    context.output.warn(
      `The document has ${all.length} operations: the first ${operationsMax} are imported. Select others by --operations.`,
    )
  }
  return cutDocument(document, all.slice(0, operationsMax))
}

/** Works with the Definition of this name, which is created if there is none, and removed again if the work fails. */
async function withDefinition<Result>(
  context: Context,
  { projectId, name }: { projectId: string; name: string },
  work: (definitionId: string) => Promise<Result>,
): Promise<Result> {
  const { definitions } = context.client()
  const found = await findDefinition(context.client(), projectId, name)
  if (found && found.kind !== 'operations')
    throw usageError(`The Definition ${name} has no operations: it is a ${found.kind}.`)
  if (found) return work(found.id)
  const { id: definitionId } = await definitions.create({ projectId, name, kind: 'operations' })
  const created = () => context.output.note(`Created the Definition ${name} (${definitionId}).`)
  try {
    const result = await work(definitionId)
    created()
    return result
  } catch (error) {
    await definitions.delete({ projectId, definitionId }).catch(created)
    throw error
  }
}

interface Target {
  projectId: string
  /** The operations to import, and their binding. */
  wanted: Omit<ImportOperationsInput, 'projectId' | 'definitionId'>
}

async function importInto(
  context: Context,
  { definition, publish }: ImportOptions,
  { projectId, wanted }: Target,
): Promise<void> {
  const { definitions } = context.client()
  const { found, revision } = await withDefinition(context, { projectId, name: definition }, async (definitionId) => {
    const found: Import = await context.output.wait('Importing', () =>
      definitions.importOperations({ projectId, definitionId, ...wanted }, { signal: context.signal }),
    )
    for (const { name, reason } of found.skipped)
      context.output.warn(`${oneLine(name)} is left out: ${oneLine(reason)}`)
    const { source } = found
    return { found, revision: publish ? await definitions.createRevision({ projectId, definitionId, source }) : null }
  })
  if (!revision) {
    context.output.result(found, () => JSON.stringify(found.source, null, 2))
    return
  }
  const count = found.source.operations.length
  context.output.result({ ...found, revision }, () =>
    [
      ...found.source.operations.map(({ name }) => `  ${styled('green', '+')} ${name}`),
      `Published ${count} ${count === 1 ? 'operation' : 'operations'} as revision ${revision.number} of ${definition}.`,
    ].join('\n'),
  )
}

async function importOpenApi(context: Context, options: OpenApiOptions, from: string): Promise<void> {
  const document = await (/^https?:\/\//.test(from) ? fetchDocument(from, context.signal) : readDocument(from))
  const { operations, binding } = options
  const project = await findProject(context.client(), options.project)
  const openapi = wantedOf(context, document, operations)
  const wanted = { openapi, connection: binding, ...(operations && { operations }) }
  await importInto(context, options, { projectId: project.id, wanted })
}

async function importMcp(context: Context, options: McpOptions, on: string, connection: string): Promise<void> {
  const troupe = context.client()
  const place = await findPlace(troupe, on)
  const { id: connectionId } = await findConnection(troupe, place, connection)
  const { tools, binding } = options
  const mcp = { environmentId: place.environment.id, connectionId, ...(tools && { tools }) }
  await importInto(context, options, { projectId: place.project.id, wanted: { mcp, connection: binding } })
}

/** The options of both kinds of imports. */
const imports = (command: Command): Command =>
  speaks(command)
    .requiredOption('--definition <name>', 'the Definition for the operations; created if it does not exist')
    .requiredOption('--binding <key>', 'the bindingKey of the Connection for calls')
    .option('--publish', 'publish them as a revision instead of printing the source')

export function addImport(program: Command, running: Running): void {
  const command = program
    .command('import')
    .summary('import operations of an API or an MCP server')
    .description('Imports operations into a Definition.')
  imports(command.command('openapi'))
    .description(
      'Imports the operations of an OpenAPI 3.0 or 3.1 document, as JSON or YAML. Lists the operations that cannot be imported, with the reasons.',
    )
    .argument('<document>', 'a file, or an address')
    .requiredOption('--project <slug>', 'the Project')
    .option('--operations <ids>', 'only these operationIds, separated by commas', several)
    .addHelpText(
      'after',
      examples(
        'troupe import openapi shop.yaml --project shop --definition shop-api --binding shop --operations listOrders,getOrder --publish',
      ),
    )
    .action(works<[string], OpenApiOptions>(running, importOpenApi))
  imports(command.command('mcp'))
    .description('Imports the tools of the MCP server behind a Connection as operations.')
    .argument('<place>', 'PROJECT/KIND')
    .argument('<connection>', 'the name of the Connection')
    .option('--tools <names>', 'only these tools, separated by commas', several)
    .addHelpText(
      'after',
      examples('troupe import mcp shop/development search --definition search --binding search --publish'),
    )
    .action(works<[string, string], McpOptions>(running, importMcp))
}

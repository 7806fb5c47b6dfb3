/**
 * `plan`, `apply`, `promote`, `rollback`, `export`: from a file to an active Agent, and from one Environment to the
 * next.
 */
import { type Command, Option } from 'commander'
import type { Apply, ApplyPlan } from '../../sdk/src/index.ts'
import { examples, type Running, speaks, waits, wholeNumber, works } from '../command.ts'
import type { Context } from '../context.ts'
import { yamlOf } from '../documents.ts'
import { assertSound, carriedOut, type Kind, planOf } from '../manifest/carrying-out.ts'
import { loadManifest, slugIn } from '../manifest/file.ts'
import { changedIn, planText } from '../manifest/plan-view.ts'
import { findPlace, findProject } from '../names.ts'
import { answered, isAtTerminal } from '../terminal/ask.ts'
import { usageError } from '../terminal/exit-codes.ts'

interface FileOptions {
  file?: string
  environment: Kind
  prune?: boolean
}

interface ApplyOptions extends FileOptions {
  activate: boolean
  description?: string
  yes?: boolean
}

const kinds = ['development', 'preview', 'production']

async function plan(context: Context, { file, environment, prune = false }: FileOptions): Promise<void> {
  const { path, manifest } = await loadManifest(file)
  const troupe = context.client()
  const planned = await context.output.wait('Planning', () => planOf(context, troupe, { manifest, environment, prune }))
  if (planned.issues.length > 0 && context.output.json) context.output.result(planned, () => '')
  assertSound(planned, path)
  context.output.result(planned, () => `${path} for ${environment}\n${planText(planned)}`)
}

/** Asks for confirmation before removals and before changes of production; without a terminal it does not ask. */
async function assertMeant(
  { output: { json }, signal }: Context,
  { yes, environment }: ApplyOptions,
  planned: ApplyPlan,
): Promise<void> {
  const removes = planned.changes.some(({ action }) => action === 'remove')
  if (yes || json || !isAtTerminal() || !(removes || environment === 'production')) return
  const meant = await answered(({ confirm }) =>
    confirm({ message: `Apply this to ${environment}?`, initialValue: false, output: process.stderr, signal }),
  )
  if (!meant) throw usageError('Nothing was applied.')
}

async function apply(context: Context, options: ApplyOptions): Promise<void> {
  const { file, environment, prune = false, activate, description } = options
  const { path, manifest } = await loadManifest(file)
  const troupe = context.client()
  const { output } = context
  const planned = await output.wait('Planning', () => planOf(context, troupe, { manifest, environment, prune }))
  assertSound(planned, path)
  if (!output.json) output.note(`${path} for ${environment}\n${planText(planned)}`)
  if (changedIn(planned).length > 0) await assertMeant(context, options, planned)
  const body = {
    manifest,
    environment,
    prune,
    activate,
    // apply exactly the plan that was shown
    expectedPlanDigest: planned.digest,
    ...(description !== undefined && { description }),
  } as Parameters<typeof troupe.applies.create>[0]
  const begun = await troupe.applies.create(body, { signal: context.signal })
  const ended = await carriedOut(context, troupe, begun)
  const name = `${slugIn(manifest)}/${environment}`
  const what = activate ? `${name} serves it` : `its Deployment is ready, and ${name} serves what it served`
  output.result(ended, () =>
    changedIn(planned).length === 0 ? `${name} already matches ${path}.` : `Applied (${ended.id}): ${what}.`,
  )
}

/** `PROJECT/KIND`, or only the kind, in the Project of the file. */
async function placeNamed(context: Context, name: string, file: string | undefined) {
  if (name.includes('/')) return findPlace(context.client(), name)
  const slug = slugIn((await loadManifest(file)).manifest)
  if (slug === undefined) throw usageError(`Give PROJECT/KIND in place of ${JSON.stringify(name)}.`)
  return findPlace(context.client(), `${slug}/${name}`)
}

const succeeded = (context: Context, ended: Apply, text: string): void =>
  context.output.result(ended, () => `${planText(ended.plan)}\n${text} (${ended.id}).`)

async function promote(
  context: Context,
  { file, activate }: { file?: string; activate: boolean },
  fromName: string,
  toName: string,
): Promise<void> {
  const from = await placeNamed(context, fromName, file)
  const to = await placeNamed(context, toName, file)
  if (from.project.id !== to.project.id) throw usageError('A Release can only be promoted within one Project.')
  const troupe = context.client()
  const begun = await troupe.applies.createPromotion(
    {
      projectId: from.project.id,
      fromEnvironmentId: from.environment.id,
      toEnvironmentId: to.environment.id,
      activate,
    },
    { signal: context.signal },
  )
  const ended = await carriedOut(context, troupe, begun)
  succeeded(context, ended, `Promoted ${from.project.slug}/${from.environment.kind} to ${to.environment.kind}`)
}

async function rollBack(
  context: Context,
  { file, steps, credentials }: { file?: string; steps: number; credentials: 'pinned' | 'current' },
  name: string,
): Promise<void> {
  const { project, environment } = await placeNamed(context, name, file)
  const troupe = context.client()
  const begun = await troupe.applies.rollBack(
    { projectId: project.id, environmentId: environment.id, steps, credentials },
    { signal: context.signal },
  )
  const ended = await carriedOut(context, troupe, begun)
  succeeded(context, ended, `Rolled ${project.slug}/${environment.kind} back`)
}

async function exportManifest(context: Context, _: object, name: string): Promise<void> {
  const [slug = '', kind = '', ...more] = name.split('/')
  if (!kinds.includes(kind) || more.length > 0) throw usageError('Give PROJECT/KIND, such as shop/production.')
  const troupe = context.client()
  const { id: projectId } = await findProject(troupe, slug)
  const manifest = await troupe.applies.getManifest({ projectId, environment: kind as Kind })
  const text = await yamlOf(manifest)
  context.output.result(manifest, () => text.trimEnd())
}

const manifestFile = (command: Command): Command =>
  command.option('-f, --file <path>', 'the manifest: YAML, JSON, or a module that exports it (default: troupe.yaml)')
const reads = (command: Command): Command =>
  manifestFile(speaks(command))
    .addOption(
      new Option('-e, --environment <kind>', 'the Environment').choices(kinds).default('development', 'development'),
    )
    .option('--prune', 'remove resources that an Apply has created and the file no longer names')
const noActivate = ['--no-activate', 'stop when the Deployment is ready, without activating it'] as const

export function addApplies(program: Command, running: Running): void {
  reads(program.command('plan'))
    .summary('show the changes that a manifest would make')
    .description('Shows the changes that applying the manifest would make, and all its problems. Writes nothing.')
    .addHelpText('after', examples('troupe plan', 'troupe plan --file shop.yaml --environment production'))
    .action(works<[], FileOptions>(running, plan))
  waits(reads(program.command('apply')))
    .summary('apply a manifest to an Environment')
    .description(
      'Writes the changes, creates a Release and a Configuration Revision, deploys and activates them, and waits until the Deployment is active. If a step fails, the earlier Deployment stays active.',
    )
    .option(...noActivate)
    .option('--description <text>', 'a description for the Release')
    .option('-y, --yes', 'do not ask for confirmation, even for production')
    .addHelpText('after', examples('troupe apply', 'troupe apply --environment production --yes'))
    .action(works<[], ApplyOptions>(running, apply))
  waits(manifestFile(speaks(program.command('promote'))))
    .summary('deploy the active Release to another Environment')
    .description('Deploys the active Release of one Environment to another, with the configuration of the target.')
    .argument('<from>', 'PROJECT/KIND, or only the kind if there is a manifest')
    .argument('<to>', 'the target, in the same form')
    .option(...noActivate)
    .addHelpText(
      'after',
      examples('troupe promote shop/development shop/production', 'troupe promote preview production'),
    )
    .action(works<[string, string], { file?: string; activate: boolean }>(running, promote))
  waits(manifestFile(speaks(program.command('rollback'))))
    .summary('activate an earlier Deployment')
    .description('Activates the previous Deployment; repeated, it goes one step further back.')
    .argument('<place>', 'PROJECT/KIND, or only the kind if there is a manifest')
    .addOption(
      new Option('--steps <number>', 'the number of Deployments to go back')
        .argParser(wholeNumber(1, 100))
        .default(1, '1'),
    )
    .addOption(
      new Option(
        '--credentials <which>',
        'versions of credentials: those of the earlier Deployment, or the current ones',
      )
        .choices(['pinned', 'current'])
        .default('pinned'),
    )
    .addHelpText('after', examples('troupe rollback shop/production', 'troupe rollback production --steps 2'))
    .action(works<[string], { file?: string; steps: number; credentials: 'pinned' | 'current' }>(running, rollBack))
  speaks(program.command('export'))
    .summary('print what is active as a manifest')
    .description('Prints what is active in an Environment as a manifest; applying it changes nothing.')
    .argument('<place>', 'PROJECT/KIND')
    .addHelpText('after', examples('troupe export shop/production > troupe.yaml'))
    .action(works<[string], object>(running, exportManifest))
}

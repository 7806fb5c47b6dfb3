/** `init`: a folder with a working Project. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { templates } from '../../src/authoring/templates/catalogue.ts'
import { answers, examples, type Running, works } from '../command.ts'
import type { Context } from '../context.ts'
import { yamlOf } from '../documents.ts'
import { findTemplate, manifestOf, templateNames, workerOf } from '../templates/manifest-of.ts'
import { answered, assertAtTerminal } from '../terminal/ask.ts'
import { CommandError, usageError } from '../terminal/exit-codes.ts'

interface InitOptions {
  folder?: string
  project?: string
}

const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

async function chosen(): Promise<string> {
  assertAtTerminal(`name a template: troupe init ${templateNames[0]}. There are: ${templateNames.join(', ')}.`)
  return answered(({ select }) =>
    select({
      message: 'Which template?',
      options: templates.map(({ slug, name, description }) => ({ value: slug, label: name, hint: description })),
      output: process.stderr,
    }),
  )
}

/** Writes all files, or none: existing files are never changed. */
function write(folder: string, files: Record<string, string>): void {
  const there = Object.keys(files).filter((name) => existsSync(join(folder, name)))
  if (there.length > 0) {
    throw usageError(
      `${there.join(' and ')} ${there.length === 1 ? 'is' : 'are'} there already; nothing was written.`,
      'Choose another folder with --folder.',
    )
  }
  try {
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { flag: 'wx' })
  } catch (error) {
    throw new CommandError('failed', 'cannot_write', `${folder} cannot be written: ${(error as Error).message}`)
  }
}

async function init(context: Context, { folder = '.', project }: InitOptions, given?: string): Promise<void> {
  const name = given ?? (await chosen())
  const template = findTemplate(name)
  if (!template) throw usageError(`There is no template ${name}. There are: ${templateNames.join(', ')}.`)
  const slug = project ?? template.slug
  if (!slugPattern.test(slug)) {
    throw usageError(`${JSON.stringify(slug)} is not a slug: 1 to 63 lower-case letters, digits and inner hyphens.`)
  }
  const manifest = await manifestOf(template, slug)
  const heading = `# ${template.name}: ${template.description}\n# troupe dev applies this file to development at each save.\n\n`
  const files = {
    'troupe.yaml': heading + (await yamlOf(manifest)),
    'worker.ts': workerOf(template),
  }
  write(resolve(folder), files)
  const agent = `${slug}/development/${template.agents[0]?.slug}`
  const into = folder === '.' ? '' : `cd ${basename(folder) === folder ? folder : resolve(folder)} && `
  context.output.result({ folder: resolve(folder), files: Object.keys(files), project: slug, agent }, () =>
    [
      `Wrote ${Object.keys(files).join(' and ')}.`,
      '',
      `  ${into}troupe dev`,
      `  troupe run ${agent} "…"      # in another terminal`,
    ].join('\n'),
  )
}

export function addInit(program: Command, running: Running): void {
  answers(program.command('init'))
    .summary('create a Project from a template')
    .description(
      'Writes a manifest, troupe.yaml, and a worker.ts that executes the operations of its Agents locally. Never overwrites a file.',
    )
    .argument('[template]', `one of: ${templateNames.join(', ')}`)
    .addOption(new Option('--folder <path>', 'the folder to write to (default: this one)'))
    .option('--project <slug>', 'the slug of the Project (default: that of the template)')
    .addHelpText('after', examples('troupe init support-desk', 'troupe init research-team --folder team'))
    .action(works<[string?], InitOptions>(running, init))
}

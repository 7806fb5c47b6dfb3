/** The file with the manifest: YAML, JSON, or a module that exports it (`defineProject` of the SDK). */
import { existsSync } from 'node:fs'
import { readDocument } from '../documents.ts'
import { importModule } from '../modules.ts'
import { usageError } from '../terminal/exit-codes.ts'

export type Manifest = Record<string, unknown>

/** The default files, in order. */
const usualFiles = ['troupe.yaml', 'troupe.yml', 'troupe.json', 'troupe.ts'] as const
/** Whether the manifest is what a module exports. */
export const isModule = (path: string) => /\.[cm]?[jt]s$/.test(path)

/** The default file in the current folder; undefined if there is none. */
export const usualFile = (): string | undefined => usualFiles.find((name) => existsSync(name))

/** The manifest of the file, or of the default one. Throws `usage`. */
export async function loadManifest(given?: string): Promise<{ path: string; manifest: Manifest }> {
  const path = given ?? usualFile()
  if (path === undefined) {
    throw usageError('There is no troupe.yaml here: create one by troupe init, or name a file by --file.')
  }
  return { path, manifest: await (isModule(path) ? manifestOf(path) : readDocument(path)) }
}

/** The default export of a module. */
async function manifestOf(path: string): Promise<Manifest> {
  const { default: made } = await importModule(path)
  if (typeof made !== 'object' || made === null || Array.isArray(made)) {
    throw usageError(`${path} has no manifest as its default export: export default defineProject({…}).`)
  }
  return made as Manifest
}

/** The slug of its Project, for messages and names; undefined if it has none. */
export function slugIn({ project }: Manifest): string | undefined {
  const slug = (project as { slug?: unknown } | null | undefined)?.slug
  return typeof slug === 'string' ? slug : undefined
}

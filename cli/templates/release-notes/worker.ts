/**
 * The history of the git repository in this folder, for the Agent that writes its release notes; issues are files in issues/, by
 * number. `troupe dev` serves it, and so does: troupe worker worker.ts --on release-notes/development
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export const queue = 'release-notes'

const run = promisify(execFile)
const perPage = 20
const lines = (text: string) => text.split('\n').filter(Boolean)

async function git(...words: string[]): Promise<string> {
  try {
    return (await run('git', words)).stdout
  } catch (error) {
    throw new Error(`git ${words[0]} has failed: ${(error as Error).message}`)
  }
}

export const operations = {
  'repository.tags': async ({ page = 1 }: { page?: number }) => {
    const tags = lines(await git('tag', '--sort=-creatordate', '--format=%(refname:short) %(objectname:short)'))
    return tags.slice((page - 1) * perPage, page * perPage).map((line) => {
      const [name, commit] = line.split(' ')
      return { name, commit }
    })
  },

  'repository.commits': async (input: { of?: string; since?: string; until?: string; page?: number }) => {
    const { of = 'HEAD', since, until, page = 1 } = input
    // git would read a name that begins with a dash as an option
    if (of.startsWith('-')) throw new Error(`There is no revision ${of}.`)
    const bounds = [since && `--since=${since}`, until && `--until=${until}`].filter((each) => typeof each === 'string')
    const pages = [`--max-count=${perPage}`, `--skip=${(page - 1) * perPage}`]
    const found = await git('log', ...pages, ...bounds, '--format=%h%x09%an%x09%aI%x09%s', of, '--')
    return lines(found).map((line) => {
      const [sha, author, date, message] = line.split('\t')
      return { sha, author, date, message }
    })
  },

  'repository.change': async ({ number }: { number: number | string }) => {
    if (!/^\d+$/.test(String(number))) throw new Error('A change has a number.')
    const body = await readFile(`issues/${number}.md`, 'utf8').catch(() => undefined)
    return body === undefined ? { found: false } : { number, body }
  },
}

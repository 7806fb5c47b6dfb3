/** The process of `apart.ts`: one task on a store; writes its answer as JSON to the standard output. */
import { copyStore, findingsOf } from '../../storage/sqlite/standing.ts'
import type { Answer, Works } from './apart.ts'

const works: { [Name in keyof Works]: (given: Works[Name]['given']) => Works[Name]['gives'] } = {
  copy: ({ path, copy }) => {
    copyStore(path, copy)
    return null
  },
  check: ({ path }) => findingsOf(path),
}

const [name = '', given = ''] = process.argv.slice(2)

function answer(): Answer<unknown> {
  try {
    return { gives: works[name as keyof Works](JSON.parse(given)) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

process.stdout.write(JSON.stringify(answer()))

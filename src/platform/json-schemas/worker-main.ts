/**
 * The process that handles authors' JSON Schemas. It answers one request at a time and exits with the server. `worker.ts`
 * kills it when it takes too much time or memory.
 */

import { issuesWith, reasonOf } from './acceptance.ts'
import { type Check, compile } from './compiler.ts'
import { type Answer, type Request, ready } from './protocol.ts'

const compiledMax = 500
const compiled = new Map<string, Check>()

async function answerTo(request: Request): Promise<Answer> {
  try {
    switch (request.type) {
      case 'compile': {
        const check = await compile(request.schema)
        if (compiled.size >= compiledMax) compiled.clear()
        compiled.set(request.key, check)
        return { type: 'compiled' }
      }
      case 'check': {
        const check = compiled.get(request.key)
        return check ? { type: 'result', result: check(request.value) } : { type: 'unknown' }
      }
      case 'tryCompile':
        return { type: 'issues', issues: await issuesWith(request.schema, request.path) }
    }
  } catch (error) {
    return error instanceof RangeError ? { type: 'exhausted' } : { type: 'failed', reason: reasonOf(error) }
  }
}

process.on('message', (request: Request) => void answerTo(request).then((answer) => process.send?.(answer)))
process.on('disconnect', () => process.exit(0))
// loaded before the first request, whose time is limited
void compile({ type: 'string', pattern: '^a$' }).then(() => process.send?.(ready))

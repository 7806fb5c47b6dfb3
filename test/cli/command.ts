/** Starts `troupe` as a process with its own home directory and no terminal. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { shortLived } from '../support/process.ts'
import { bundledPrograms } from '../support/programs.ts'

interface Ended {
  code: number
  stdout: string
  stderr: string
  /** The standard output as JSON. */
  json<Value = unknown>(): Value
  /** The standard output, parsed as one JSON value per line. */
  lines<Value = Record<string, unknown>>(): Value[]
}

export interface Going {
  process: Subprocess<'pipe', 'pipe', 'pipe'>
  /** The output so far, of both streams. */
  said(): string
  /** Resolves once the output matches. Rejects if the process ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  ended: Promise<Ended>
}

export interface Home {
  folder: string
  /** The command line of this checkout, as started without arguments. */
  commandLine: readonly string[]
  /** Environment variables of every command. */
  environment: Record<string, string>
  start(words: readonly string[], options?: StartOptions): Going
  /** Runs a command to its end. */
  run(...words: string[]): Promise<Ended>
  remove(): Promise<void>
}

interface StartOptions {
  input?: string
  environment?: Record<string, string>
  /** The program to start; default: the command line. */
  program?: readonly string[]
  /** The working directory; default: the home. */
  cwd?: string
}

/** Ends the processes that a failed test left running. */
const living = new Set<Subprocess>()
export async function endCommands(): Promise<void> {
  await Promise.all(
    [...living].map(async (child) => {
      // a command with a server ends it
      child.kill('SIGTERM')
      await Promise.race([child.exited, Bun.sleep(10_000)])
      child.kill('SIGKILL')
      await child.exited
    }),
  )
}

export async function openHome(environment: Record<string, string> = {}): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-cli-'))
  const commandLine = [process.execPath, (await bundledPrograms()).commandLine]
  const home: Home = {
    folder,
    commandLine,
    environment: { PATH: process.env.PATH ?? '', HOME: folder, ...shortLived, ...environment },
    start(words, { input = '', environment: more = {}, program = commandLine, cwd = folder } = {}) {
      const child = Bun.spawn([...program, ...words], {
        cwd,
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'pipe',
        env: { ...home.environment, ...more },
      })
      living.add(child)
      if (input) child.stdin.write(input)
      child.stdin.end()
      return follow(child)
    },
    run: (...words) => home.start(words).ended,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  return home
}

function follow(child: Subprocess<'pipe', 'pipe', 'pipe'>): Going {
  const written = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  const collect = async (name: 'stdout' | 'stderr') => {
    const decoder = new TextDecoder()
    for await (const chunk of child[name]) {
      written[name] += decoder.decode(chunk, { stream: true })
      for (const listener of listeners) listener()
    }
  }
  const said = () => written.stdout + written.stderr
  const ended = Promise.all([child.exited, collect('stdout'), collect('stderr')]).then(([code]) => {
    living.delete(child)
    const { stdout, stderr } = written
    return {
      code,
      stdout,
      stderr,
      json: <Value>() => JSON.parse(stdout) as Value,
      lines: <Value>() =>
        stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Value),
    }
  })
  return {
    process: child,
    said,
    ended,
    says: (pattern) =>
      new Promise((found, missed) => {
        const look = () => {
          const match = pattern.exec(said())
          if (match) {
            listeners.delete(look)
            found(match)
          }
          return match !== null
        }
        listeners.add(look)
        if (!look()) void ended.then(() => look() || missed(new Error(`It never said ${pattern}:\n${said()}`)))
      }),
  }
}

/**
 * nginx and Caddy in front of several servers, with the files of `deploy/`; the tests replace the hosts, ports and
 * certificates in them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { registerServer, unregisterServer } from '../client.ts'
import { freePort } from '../free-ports.ts'
import { eventually } from '../process.ts'

const deploy = resolve(import.meta.dir, '../../../deploy')

export const proxyNames = ['nginx', 'caddy'] as const
type ProxyName = (typeof proxyNames)[number]

export interface RealProxy {
  url: string
  /** The log so far. */
  output(): string
  stop(): Promise<void>
}

// where Debian puts daemons
const searched = `${process.env.PATH}:/usr/sbin`

/** Whether the proxy is installed; a missing one is an error in CI. */
export function proxyIsInstalled(name: ProxyName): boolean {
  if (Bun.which(name, { PATH: searched })) return true
  const install = 'sh test/support/install-services.sh scale'
  if (process.env.CI) throw new Error(`${name} is not installed: run ${install}.`)
  console.warn(`${name} is not installed: the rolling restart behind it is skipped. See ${install}.`)
  return false
}

const withServers = (text: string, servers: readonly number[]) =>
  text.replace(/troupe-(\d):3000/g, (_, number) => `127.0.0.1:${servers[Number(number) - 1]}`)

/** The first server block of the file, without TLS. */
function nginxFile(text: string, port: number, servers: readonly number[], folder: string): string {
  const [first] = withServers(text, servers).split(/^server \{\n\s+listen 80;/m) as [string]
  const http = first
    .replace(/listen 443 ssl http2;/, `listen 127.0.0.1:${port};`)
    .replace(/^\s*ssl_certificate.*$/gm, '')
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const places = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n')
  return `daemon off; pid ${folder}/pid; error_log stderr warn; worker_processes 1;
events { worker_connections 512; }
http {
access_log off;
${places}
${http}
}`
}

const caddyFile = (text: string, port: number, servers: readonly number[]): string =>
  `{\n\tadmin off\n}\n${withServers(text, servers).replace('troupe.example.com', `http://127.0.0.1:${port}`)}`

/** Starts the proxy in front of servers at these three ports. */
export async function startProxy(name: ProxyName, servers: readonly number[]): Promise<RealProxy> {
  const folder = await mkdtemp(join(tmpdir(), `troupe-${name}-`))
  const port = freePort()
  const own = name === 'nginx' ? 'nginx.scale.conf' : 'Caddyfile.scale'
  const text = await Bun.file(join(deploy, own)).text()
  const file = join(folder, own)
  await Bun.write(file, name === 'nginx' ? nginxFile(text, port, servers, folder) : caddyFile(text, port, servers))
  const options =
    name === 'nginx' ? ['-e', 'stderr', '-p', folder, '-c', file] : ['run', '--adapter', 'caddyfile', '--config', file]
  const child = Bun.spawn([Bun.which(name, { PATH: searched }) as string, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: searched, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  let written = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) written += decoder.decode(chunk, { stream: true })
  }
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)])
  const url = `http://127.0.0.1:${port}`
  registerServer(url)
  const stop = async () => {
    unregisterServer(url)
    child.kill('SIGTERM')
    await child.exited
    await collected
    await rm(folder, { recursive: true, force: true })
  }
  await eventually(`${name} that serves`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${written}`)
    return fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }).catch(async (error: Error) => {
    await stop()
    throw new Error(`${error.message} ${written}`)
  })
  return { url, output: () => written, stop }
}

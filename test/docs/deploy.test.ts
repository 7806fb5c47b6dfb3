/** The samples in `deploy/`: valid compose files, and settings that the server knows. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { settingNames } from '../../src/config.ts'

const deploy = resolve(import.meta.dir, '../../deploy')

interface Service {
  image?: string
  build?: string
  env_file?: string
  environment?: Record<string, string>
  depends_on?: Record<string, object>
  stop_grace_period?: string
  volumes?: string[]
  command?: string[]
}
interface Compose {
  services: Record<string, Service>
  volumes?: Record<string, unknown>
}

const read = async (file: string) => parse(await Bun.file(join(deploy, file)).text(), { merge: true }) as Compose
const files = ['compose.yaml', 'compose.scale.yaml']
const known = new Set<string>([...settingNames, 'NODE_ENV'])

test.each(files)('%s names existing files', async (file) => {
  const { services, volumes = {} } = await read(file)
  for (const [name, service] of Object.entries(services)) {
    expect({ name, from: service.image ?? service.build }).not.toEqual({ name, from: undefined })
    for (const other of Object.keys(service.depends_on ?? {})) expect(Object.keys(services)).toContain(other)
    for (const [from = ''] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
      if (from.startsWith('.'))
        expect({ from, isThere: existsSync(join(deploy, from)) }).toEqual({ from, isThere: true })
      else expect(Object.keys(volumes)).toContain(from)
    }
  }
})

test.each(files)('every server setting in %s is known, and the grace period suffices', async (file) => {
  const { services } = await read(file)
  const servers = Object.values(services).filter(({ build }) => build !== undefined)
  expect(servers.length).toBeGreaterThan(0)
  for (const { environment = {}, stop_grace_period = '', env_file } of servers) {
    for (const name of Object.keys(environment)) expect({ name, known: known.has(name) }).toEqual({ name, known: true })
    expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(20)
    expect(env_file).toBe('troupe.env')
  }
})

test('servers that share a store have the same settings, and a Redis', async () => {
  const { services } = await read('compose.scale.yaml')
  const servers = Object.values(services).filter(({ build }) => build !== undefined)
  expect(servers).toHaveLength(3)
  for (const { environment } of servers) {
    expect(environment).toEqual(servers[0]?.environment)
    expect(Object.keys(environment ?? {})).toEqual(expect.arrayContaining(['TROUPE_STORE', 'REDIS_URL']))
  }
  const proxy = await Bun.file(join(deploy, 'Caddyfile.scale')).text()
  for (const name of Object.keys(services).filter((each) => services[each]?.build))
    expect(proxy).toContain(`${name}:3000`)
  expect(proxy).toContain('/readyz')
})

test('the sample of settings has no unknown setting', async () => {
  const text = await Bun.file(join(deploy, 'troupe.env.example')).text()
  const names = [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name as string)
  expect(names.length).toBeGreaterThan(3)
  for (const name of names) expect({ name, known: known.has(name) }).toEqual({ name, known: true })
})

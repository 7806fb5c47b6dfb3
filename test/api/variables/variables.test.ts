/** Variables of an Environment. Source: requirement 4.11; contract 4. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import {
  activate,
  atOnce,
  deactivate,
  issuesOf,
  organizationVariablesPath,
  outcome,
  tally,
} from '../credentials/world.ts'
import { openWorld, type World, walk } from '../projects/world.ts'

let world: World
let project: Awaited<ReturnType<World['project']>>
let base: string
let agentId: string
let otherAgentId: string
let source: { id: string; path: string }
let count = 0

const agentIn = async (projectPath: string, slug: string): Promise<string> =>
  (await world.owner.post(`${projectPath}/agents`, { slug, name: slug })).body.data.id
const variablesOf = (within: typeof project, index: 0 | 1 | 2 = 0) =>
  `${within.path}/environments/${within.environments[index]}/variables`

beforeAll(async () => {
  world = await openWorld()
  project = await world.project()
  base = variablesOf(project)
  agentId = await agentIn(project.path, 'one')
  otherAgentId = await agentIn(project.path, 'other')
  const { body } = await world.owner.post(organizationVariablesPath, { name: 'SOURCE', value: 'hunter2' })
  source = { id: body.data.id, path: `${organizationVariablesPath}/${body.data.id}` }
  await world.owner.patch(source.path, { value: 'hunter22' })
})
afterAll(() => world.stop())

const variable = async (changes: object = { value: 'hunter2' }, under = base) => {
  count += 1
  const reply = await world.owner.post(under, { name: `VARIABLE_${count}`, ...changes })
  expect(outcome(reply)).toBe('200')
  const { id, name } = reply.body.data as { id: string; name: string }
  return { id, name, path: `${under}/${id}`, data: reply.body.data }
}

describe('a new variable', () => {
  test('with a value is shown without it, at version 1', async () => {
    const { status, body } = await world.owner.post(base, { name: 'TOKEN', value: 'grüße', description: 'One.' })
    expect(status).toBe(200)
    const { id, valueDigest, ...rest } = body.data
    expect(id).toMatch(/^var_/)
    expect(valueDigest).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
    const at = new Date(world.clock.now()).toISOString()
    expect(rest).toEqual({
      name: 'TOKEN',
      version: 1,
      description: 'One.',
      sourceVariableId: null,
      sourceVersion: null,
      agentId: null,
      bindingKey: null,
      status: 'active',
      valueLength: 5,
      createdAt: at,
      updatedAt: at,
    })
    expect((await world.owner.get(`${base}/${id}`)).body).toEqual(body)
  })

  test('with a source keeps to that version of it', async () => {
    const own = await variable({ value: 'hunter2' })
    const { data, path } = await variable({ sourceVariableId: source.id, sourceVersion: 1 })
    const { valueDigest, valueLength } = own.data
    expect({ ...data }).toMatchObject({ sourceVariableId: source.id, sourceVersion: 1, valueDigest, valueLength })
    await world.owner.patch(source.path, { value: 'hunter222' })
    expect((await world.owner.get(path)).body.data).toEqual(data)
  })

  test('with a binding is for one Agent', async () => {
    const { data } = await variable({ value: '', agentId, bindingKey: 'shop' })
    expect({ ...data }).toMatchObject({ agentId, bindingKey: 'shop', valueLength: 0 })
  })

  test.each<[string, string]>([
    ['no characters', ''],
    ['65,536 characters', 'x'.repeat(65_536)],
    ['65,536 characters outside the basic plane', '𝄞'.repeat(65_536)],
  ])('may have a value of %s', async (_, value) => {
    expect((await variable({ value })).data.valueLength).toBe([...value].length)
  })

  const id = newId('var')
  test.each<[string, object, string[]]>([
    ['nothing', {}, ['/body/name']],
    ['neither value nor source', { name: 'A1' }, ['/body/value']],
    [
      'value and source',
      { name: 'A1', value: '', sourceVariableId: id, sourceVersion: 1 },
      ['/body/sourceVariableId', '/body/sourceVersion'],
    ],
    ['value and half a source', { name: 'A1', value: '', sourceVersion: 1 }, ['/body/sourceVersion']],
    ['a source without its version', { name: 'A1', sourceVariableId: id }, ['/body/sourceVersion']],
    ['a version without its source', { name: 'A1', sourceVersion: 1 }, ['/body/sourceVariableId']],
    ['a version 0', { name: 'A1', sourceVariableId: id, sourceVersion: 0 }, ['/body/sourceVersion']],
    ['a version 1.5', { name: 'A1', sourceVariableId: id, sourceVersion: 1.5 }, ['/body/sourceVersion']],
    ['a version as text', { name: 'A1', sourceVariableId: id, sourceVersion: '1' }, ['/body/sourceVersion']],
    ['a malformed source', { name: 'A1', sourceVariableId: 'source', sourceVersion: 1 }, ['/body/sourceVariableId']],
    ['an Agent without a key', { name: 'A1', value: '', agentId: newId('agt') }, ['/body/bindingKey']],
    ['a key without an Agent', { name: 'A1', value: '', bindingKey: 'shop' }, ['/body/agentId']],
    ['a malformed Agent', { name: 'A1', value: '', agentId: 'one', bindingKey: 'shop' }, ['/body/agentId']],
    ['a System Agent', { name: 'A1', value: '', agentId: 'agt_system_assistant', bindingKey: 'a' }, ['/body/agentId']],
    ['a malformed key', { name: 'A1', value: '', agentId: newId('agt'), bindingKey: 'a b' }, ['/body/bindingKey']],
    ['two mistakes of two kinds', { name: 'A1', bindingKey: 'shop' }, ['/body/value', '/body/agentId']],
    ['a lower-case name', { name: 'token', value: '' }, ['/body/name']],
    ['a name of 129 characters', { name: 'A'.repeat(129), value: '' }, ['/body/name']],
    ['65,537 characters', { name: 'A1', value: 'x'.repeat(65_537) }, ['/body/value']],
    ['100,000 characters', { name: 'A1', value: 'x'.repeat(100_000) }, ['/body/value']],
    [
      'a description of 2,001 characters',
      { name: 'A1', value: '', description: 'x'.repeat(2001) },
      ['/body/description'],
    ],
    ['a status', { name: 'A1', value: '', status: 'disabled' }, ['/body/status']],
    ['an unknown field', { name: 'A1', value: '', secret: 'x' }, ['/body/secret']],
  ])('with %s is refused (422)', async (_, body, paths) => {
    const reply = await world.owner.post(base, body)
    expect([outcome(reply), issuesOf(reply)]).toEqual(['422 validation_failed', paths])
  })

  describe('names what there is, or is 404', () => {
    const rows: [string, () => object | Promise<object>][] = [
      ['a source that never was', () => ({ sourceVariableId: newId('var'), sourceVersion: 1 })],
      ['a version that is not there yet', () => ({ sourceVariableId: source.id, sourceVersion: 99 })],
      [
        'a variable of an Environment as source',
        async () => ({ sourceVariableId: (await variable()).id, sourceVersion: 1 }),
      ],
      [
        'the source of another organization',
        async () => {
          const { id: foreign, owner } = world.organization()
          const { body } = await owner.post(`/api/v1/organizations/${foreign}/variables`, { name: 'A', value: 'x' })
          return { sourceVariableId: body.data.id, sourceVersion: 1 }
        },
      ],
      ['an Agent that never was', () => ({ value: '', agentId: newId('agt'), bindingKey: 'a' })],
      [
        'an Agent of another Project',
        async () => {
          const other = await world.project()
          return { value: '', agentId: await agentIn(other.path, 'one'), bindingKey: 'a' }
        },
      ],
    ]
    test.each(rows)('%s', async (_, given) => {
      const body = await given()
      expect(outcome(await world.owner.post(base, { name: 'NOWHERE', ...body }))).toBe('404 not_found')
      const { path } = await variable()
      expect(outcome(await world.owner.patch(path, body))).toBe('404 not_found')
    })
  })

  test('takes a name that is free in its scope only (409)', async () => {
    const { name } = await variable()
    const again = (changes: object, under = base) => world.owner.post(under, { name, value: '', ...changes })
    expect(outcome(await again({}))).toBe('409 name_taken')
    expect(outcome(await again({ agentId, bindingKey: 'scope' }))).toBe('200')
    expect(outcome(await again({ agentId, bindingKey: 'scope.again' }))).toBe('409 name_taken')
    expect(outcome(await again({ agentId: otherAgentId, bindingKey: 'scope' }))).toBe('200')
    expect(outcome(await again({}, variablesOf(project, 1)))).toBe('200')
  })

  test('takes a binding key that is free for the Agent only (409)', async () => {
    await variable({ value: '', agentId, bindingKey: 'taken' })
    expect(outcome(await world.owner.post(base, { name: 'B1', value: '', agentId, bindingKey: 'taken' }))).toBe(
      '409 name_taken',
    )
    const other = { name: 'B1', value: '', agentId: otherAgentId, bindingKey: 'taken' }
    expect(outcome(await world.owner.post(base, other))).toBe('200')
  })

  test('of eight with one name exactly one is created', async () => {
    const replies = await atOnce(8, () => world.owner.post(base, { name: 'CONTESTED', value: 'x' }))
    expect(tally(replies)).toEqual({ 200: 1, '409 name_taken': 7 })
  })

  test('is refused after 1,000 (422)', async () => {
    const { environments, path } = await world.project()
    world.rows(
      `insert into variables with recursive n(value) as (select 1 union all select value + 1 from n where value < 998)
       select 'var_' || ? || value, ?, ?, 'V' || value, null, 'active', 1, null, null, 0, 0 from n`,
      environments[0],
      world.ours,
      environments[0],
    )
    const under = `${path}/environments/${environments[0]}/variables`
    const replies = await atOnce(4, (index) => world.owner.post(under, { name: `NEW_${index}`, value: '' }))
    expect(tally(replies)).toEqual({ 200: 2, '422 limit_exceeded': 2 })
  })
})

describe('a change', () => {
  test('of value or source is the next version; of anything else it is none', async () => {
    const { path, data: before } = await variable({ value: 'one' })
    world.clock.advance(1000)
    const { data: described } = (await world.owner.patch(path, { description: 'Two.', status: 'disabled' })).body
    const updatedAt = new Date(world.clock.now()).toISOString()
    expect(described).toEqual({ ...before, description: 'Two.', status: 'disabled', updatedAt })
    const { data: changed } = (await world.owner.patch(path, { value: 'three' })).body
    expect({ ...changed }).toMatchObject({ version: 2, valueLength: 5, description: 'Two.', sourceVariableId: null })
    const { data: sourced } = (await world.owner.patch(path, { sourceVariableId: source.id, sourceVersion: 2 })).body
    expect({ ...sourced }).toMatchObject({ version: 3, valueLength: 8, sourceVariableId: source.id, sourceVersion: 2 })
    const { data: own } = (await world.owner.patch(path, { value: '', status: 'active' })).body
    expect({ ...own }).toMatchObject({ version: 4, valueLength: 0, sourceVariableId: null, status: 'active' })
    expect((await world.owner.patch(path, { description: null })).body.data.description).toBeNull()
  })

  test('of nothing is 200 and changes nothing', async () => {
    const { path, data } = await variable()
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(path, {})
    expect([status, body.data]).toEqual([200, data])
  })

  test('binds it to an Agent, to another one, and to none', async () => {
    const { path } = await variable()
    const bound = async (changes: object) => {
      const { data } = (await world.owner.patch(path, changes)).body
      return [data.agentId, data.bindingKey]
    }
    expect(await bound({ agentId, bindingKey: 'moving' })).toEqual([agentId, 'moving'])
    expect(await bound({ status: 'disabled' })).toEqual([agentId, 'moving'])
    expect(await bound({ agentId: otherAgentId, bindingKey: 'moved' })).toEqual([otherAgentId, 'moved'])
    expect(await bound({ agentId: null, bindingKey: null })).toEqual([null, null])
  })

  test('of the binding into a name or key that is taken is 409, and changes nothing', async () => {
    const { name } = await variable({ value: '', agentId, bindingKey: 'first' })
    const second = await variable({ value: '', agentId, bindingKey: 'second' })
    const third = await world.owner.post(base, { name, value: '' })
    const path = `${base}/${third.body.data.id}`
    expect(outcome(await world.owner.patch(path, { agentId, bindingKey: 'third', value: 'x' }))).toBe('409 name_taken')
    expect((await world.owner.get(path)).body.data).toEqual(third.body.data)
    expect(outcome(await world.owner.patch(second.path, { agentId, bindingKey: 'first' }))).toBe('409 name_taken')
  })

  test('of the value by eight at once makes eight versions without gaps', async () => {
    const { id, path } = await variable()
    const replies = await atOnce(8, (index) =>
      world.owner.patch(
        path,
        index % 2 ? { value: `value ${index}` } : { sourceVariableId: source.id, sourceVersion: 1 },
      ),
    )
    expect(tally(replies)).toEqual({ 200: 8 })
    const versions = world.rows<{ version: number }>(
      'select version from variable_versions where variable_id = ? order by version',
      id,
    )
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('of different fields at once keeps all of them', async () => {
    const { path } = await variable()
    await Promise.all([
      world.owner.patch(path, { description: 'Kept.' }),
      world.owner.patch(path, { status: 'disabled' }),
      world.owner.patch(path, { agentId, bindingKey: 'kept' }),
      world.owner.patch(path, { value: 'kept' }),
    ])
    const { data } = (await world.owner.get(path)).body
    const all = { description: 'Kept.', status: 'disabled', agentId, bindingKey: 'kept', version: 2, valueLength: 4 }
    expect({ ...data }).toMatchObject(all)
  })

  test.each<[string, object, string[]]>([
    ['the name', { name: 'OTHER' }, ['/body/name']],
    ['the status to deleting', { status: 'deleting' }, ['/body/status']],
    ['the value to null', { value: null }, ['/body/value']],
    ['the value to 65,537 characters', { value: 'x'.repeat(65_537) }, ['/body/value']],
    [
      'value and source',
      { value: '', sourceVariableId: newId('var'), sourceVersion: 1 },
      ['/body/sourceVariableId', '/body/sourceVersion'],
    ],
    ['the source without its version', { sourceVariableId: newId('var') }, ['/body/sourceVersion']],
    ['the version without its source', { sourceVersion: 2 }, ['/body/sourceVariableId']],
    [
      'the source to null',
      { sourceVariableId: null, sourceVersion: null },
      ['/body/sourceVariableId', '/body/sourceVersion'],
    ],
    ['the Agent without the key', { agentId: newId('agt') }, ['/body/bindingKey']],
    ['the key without the Agent', { bindingKey: 'shop' }, ['/body/agentId']],
    ['the Agent to null and not the key', { agentId: null, bindingKey: 'shop' }, ['/body/bindingKey']],
    ['the key to null and not the Agent', { agentId: newId('agt'), bindingKey: null }, ['/body/bindingKey']],
    ['the Agent to null alone', { agentId: null }, ['/body/bindingKey']],
    ['the version', { version: 2 }, ['/body/version']],
  ])('refuses %s (422)', async (_, changes, paths) => {
    const { path } = await variable()
    const reply = await world.owner.patch(path, changes)
    expect([outcome(reply), issuesOf(reply)]).toEqual(['422 validation_failed', paths])
  })
})

describe('a deletion', () => {
  test('answers 200 with the variable as it was, and then there is nothing', async () => {
    const { path, id } = await variable({ value: 'x', agentId, bindingKey: 'going' })
    const { body: before } = await world.owner.patch(path, { value: 'y', description: 'Going.' })
    const { status, body } = await world.owner.delete(path)
    expect([status, body]).toEqual([200, before])
    expect(outcome(await world.owner.get(path))).toBe('404 not_found')
    expect(outcome(await world.owner.patch(path, { value: 'z' }))).toBe('404 not_found')
    expect(world.rows('select * from variable_versions where variable_id = ?', id)).toEqual([])
    await variable({ value: 'x', agentId, bindingKey: 'going' })
  })

  test('asked by eight at once is done once', async () => {
    const { path } = await variable()
    expect(tally(await atOnce(8, () => world.owner.delete(path)))).toEqual({ 200: 1, '404 not_found': 7 })
  })

  test('at the moment of changes never fails otherwise than with 404', async () => {
    const { path } = await variable()
    const replies = await Promise.all([
      world.owner.patch(path, { value: 'x' }),
      world.owner.delete(path),
      world.owner.patch(path, { description: 'Late.' }),
      world.owner.patch(path, { value: 'y' }),
    ])
    for (const reply of replies) expect(['200', '404 not_found']).toContain(outcome(reply))
    expect(replies[1]?.status).toBe(200)
  })

  test('is 409 while the snapshot of the active Deployment pins it, and changes go on', async () => {
    const within = await world.project()
    const under = variablesOf(within)
    const { id, name, path } = await variable({ value: 'x' }, under)
    const free = await variable({ value: 'x' }, under)
    activate(world, within.environments[0], { variables: [{ variableId: id, name, version: 1 }] })
    expect(outcome(await world.owner.delete(path))).toBe('409 variable_in_use')
    expect(outcome(await world.owner.patch(path, { value: 'y', status: 'disabled' }))).toBe('200')
    expect(outcome(await world.owner.delete(free.path))).toBe('200')
    deactivate(world, within.environments[0])
    expect(outcome(await world.owner.delete(path))).toBe('200')
  })
})

describe('the list', () => {
  test('is newest first, page by page', async () => {
    const within = await world.project()
    const under = variablesOf(within)
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) {
      world.clock.advance(1)
      ids.push((await variable({ value: '' }, under)).id)
    }
    const { items, sizes } = await walk(world.owner, under, 2)
    expect(items.map((item) => item.id)).toEqual(ids.reverse())
    expect(sizes).toEqual([2, 2, 1])
    const cursor = (await world.owner.get(under, { query: { limit: 1 } })).body.pagination.nextCursor
    const elsewhere = await world.owner.get(variablesOf(within, 1), { query: { cursor } })
    expect(outcome(elsewhere)).toBe('422 invalid_cursor')
  })

  test('for a key of an Agent has what that Agent may use, and the others are 404', async () => {
    const within = await world.project()
    const under = variablesOf(within)
    const [mine, others] = [await agentIn(within.path, 'mine'), await agentIn(within.path, 'others')]
    const forAll = await variable({ value: '' }, under)
    const forMe = await variable({ value: '', agentId: mine, bindingKey: 'a' }, under)
    const forOthers = await variable({ value: '', agentId: others, bindingKey: 'a' }, under)
    const client = world.keyOf(world.ownerId, { projectId: within.id, agentId: mine })
    const { items } = (await client.get(under)).body.data
    expect(items.map(({ id }: { id: string }) => id).sort()).toEqual([forAll.id, forMe.id].sort())
    expect((await client.get(forMe.path)).status).toBe(200)
    expect((await client.get(forAll.path)).status).toBe(200)
    expect((await client.get(forOthers.path)).status).toBe(404)
    expect(outcome(await client.post(under, { name: 'A', value: '' }))).toBe('403 permission_denied')
  })
})

describe('who may', () => {
  test.each<[string, string, string, object | undefined]>([
    ['list', 'GET', '', undefined],
    ['create', 'POST', '', {}],
    ['get', 'GET', '/:id', undefined],
    ['update', 'PATCH', '/:id', {}],
    ['delete', 'DELETE', '/:id', undefined],
  ])('without env:variables:%s: %s %s is 403; elsewhere it is 404', async (verb, method, below, sent) => {
    const { id, path } = await variable()
    const target = below === '' ? base : path
    const operations = ['list', 'get', 'create', 'update', 'delete']
      .filter((each) => each !== verb)
      .map((each) => `env:variables:${each}`)
    const lacking = await world.keyOf(world.ownerId, { operations }).call(method, target, sent)
    expect(lacking.status).toBe(403)
    expect(lacking.body.error.details).toEqual({ permission: `env:variables:${verb}` })
    const other = await world.project()
    const sibling = { projectId: project.id, environmentId: project.environments[1] }
    expect((await world.keyOf(world.ownerId, sibling).call(method, target, sent)).status).toBe(404)
    expect((await world.keyOf(world.ownerId, { projectId: other.id }).call(method, target, sent)).status).toBe(404)
    expect((await world.organization().owner.call(method, target, sent)).status).toBe(404)
    // the Environment and its variable are of one Project, and the path says which
    const mixed = `${other.path}/environments/${project.environments[0]}/variables${below.replace(':id', id)}`
    expect((await world.owner.call(method, mixed, sent ?? undefined)).status).toBe(404)
    if (below === '') return
    for (const strange of [
      `${variablesOf(project, 1)}/${id}`,
      `${variablesOf(other)}/${id}`,
      `${base}/${newId('var')}`,
    ]) {
      expect(outcome(await world.owner.call(method, strange, sent))).toBe('404 not_found')
    }
  })

  test('a key of the Environment may, and a member with a grant for it', async () => {
    const scope = { projectId: project.id, environmentId: project.environments[0] }
    expect(outcome(await world.keyOf(world.ownerId, scope).post(base, { name: 'SCOPED', value: '' }))).toBe('200')
    const member = world.user('member')
    const client = world.keyOf(member)
    expect((await client.get(base)).status).toBe(403)
    await world.owner.post(`${project.path}/access-grants`, {
      subject: { type: 'user', id: member },
      permissions: ['env:variables:list'],
    })
    expect((await client.get(base)).status).toBe(200)
    expect((await client.post(base, { name: 'GRANTED', value: '' })).status).toBe(403)
  })
})

test('the variables of an Agent that is being deleted cannot be made (409)', async () => {
  const within = await world.project()
  const doomed = await agentIn(within.path, 'doomed')
  world.rows("update agents set status = 'deleting' where id = ?", doomed)
  const body = { name: 'A', value: '', agentId: doomed, bindingKey: 'a' }
  expect(outcome(await world.owner.post(variablesOf(within), body))).toBe('409 deletion_in_progress')
  const { path } = await variable({ value: '' }, variablesOf(within))
  expect(outcome(await world.owner.patch(path, { agentId: doomed, bindingKey: 'a' }))).toBe('409 deletion_in_progress')
})

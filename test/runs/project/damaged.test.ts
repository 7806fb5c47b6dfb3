import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openWorld } from './world.ts'

test('a damaged bundle runs nothing, and everything else continues', async () => {
  const world = await openWorld()
  try {
    const [place, whole] = [await world.place(), await world.place()]
    const [agent, other] = [await world.agent(place), await world.agent(whole)]
    await world.serve(place, [agent])
    await world.serve(whole, [other])
    const database = new Database(world.file)
    database.run('pragma busy_timeout = 5000')
    const triggers = database.query<{ name: string }, []>(
      "select name from sqlite_master where type = 'trigger' and tbl_name = 'deployment_bundles'",
    )
    for (const { name } of triggers.all()) database.run(`drop trigger ${name}`)
    const changed = "update deployment_bundles set bundle = replace(bundle, 'Help.', 'Harm.') where bundle like ?"
    database.run(changed, [`%${agent.agentId}%`])
    database.close()

    const { status, body } = await world.start(place, agent.agentId, 'Hello')
    expect([status, body.error.code]).toEqual([500, 'damaged_record'])
    expect(await world.run(whole, other.agentId, '/say Done')).toMatchObject({ state: 'completed' })
  } finally {
    await world.stop()
  }
})

/** An Environment with a deployed Agent, and a browser window on it: the setup for tests of everyday console use. */
import { type Authored, author } from '../filled/authored.ts'
import { serve } from '../filled/happened.ts'
import { type Maker, maker } from '../filled/maker.ts'
import { plainWords } from '../filled/words.ts'
import { goTo, openWorld, type Window, type World } from '../world.ts'

export interface Day extends Window {
  world: World
  api: Maker
  authored: Authored
  environmentId: string
  /** The Environment's path in the API. */
  path: string
  /** The Environment's path in the console. */
  console: string
  /** Opens a page of the console in the window. */
  open(address: string): Promise<void>
  stop(): Promise<void>
}

/** Opens the server, the Environment and the window. `TROUPE_*` variables for the server may be given. */
export async function openDay(environment: Record<string, string> = {}): Promise<Day> {
  const world = await openWorld(environment)
  const api = maker(world.owner)
  const authored = await author(api, plainWords, 'support-desk', false)
  const [development] = (await api.get(`${authored.project}/environments`)).items
  const path = `${authored.project}/environments/${development.id}`
  await serve(api, path, authored.releaseIds[0], 'To begin with')
  const window = await world.signedIn()
  await window.page.goto(`${world.url}/o/default`)
  return {
    ...window,
    world,
    api,
    authored,
    environmentId: development.id,
    path,
    console: `/o/default/p/${authored.projectId}/e/${development.id}`,
    open: (address) => goTo(window.page, address),
    stop: () => world.stop(),
  }
}

/** Expects no console errors, and no request to another server. */
export const untroubled = { complaints: [], elsewhere: [] }

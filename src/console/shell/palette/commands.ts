/** The palette's commands for a place: pages and actions, each with its address. Pure. */
import { at, organizationOf, type Place, projectOf } from '../../places.ts'
import type { IconName } from '../../ui/icon.tsx'
import { opened } from '../../use-opened.ts'
import { navigationOf, settingsTabs } from '../navigation.ts'

export interface Command {
  /** Unique among all commands. */
  id: string
  title: string
  icon: IconName
  /** Its place or its parent. */
  about?: string | undefined
  /** Its shortcut. */
  keys?: readonly string[] | undefined
  /** Further search words. */
  also?: string | undefined
  run: () => void
}

export interface Link extends Omit<Command, 'run'> {
  href: string
}

/** Pages of the place and of the places that contain it. */
export function pagesOf(place: Place): Link[] {
  const groups = navigationOf(place).flatMap(({ title: about, entries }) =>
    entries.map(({ title, icon, href, keys }) => ({ id: `page ${href}`, title, icon, about, keys, href })),
  )
  const settings = settingsTabs(place)
    .slice(1)
    .map(({ title, href }) => ({
      id: `page ${href}`,
      title,
      icon: 'settings' as const,
      about: 'Settings',
      href,
    }))
  return [...groups, ...settings]
}

/** Actions available at the place. */
export function actionsOf(place: Place): Link[] {
  const organization = organizationOf(place)
  const settings = (page: string) => opened(at(organization, 'settings', page), 'new')
  const action = (title: string, icon: IconName, href: string, also?: string): Link => ({
    id: `action ${href}`,
    title,
    icon,
    href,
    also,
  })
  const actions: Link[] = []
  if (place.environmentId) {
    actions.push(
      action('Start a run', 'run', at(place, 'playground'), 'chat playground'),
      action('Deploy a Release', 'rocket', at(place), 'activate delivery'),
      action('Promote to another Environment', 'rocket', opened(at(place), 'promote'), 'deliver'),
      action('Roll back', 'refresh', opened(at(place), 'roll-back'), 'revert undo'),
      action('Invoke an operation', 'bolt', opened(at(place, 'invocations'), 'new'), 'call'),
      action('Start a workflow', 'flow', opened(at(place, 'workflows'), 'new')),
      action('New job', 'clock', opened(at(place, 'jobs'), 'new'), 'schedule cron'),
      action('New Connection', 'plug', opened(at(place, 'configuration', 'connections'), 'new')),
    )
  } else actions.push(action('Start a run', 'run', at(organization, 'playground'), 'chat system agents'))
  if (place.projectId) {
    actions.push(
      action('New agent', 'agent', opened(at(projectOf(place), 'agents'), 'new'), 'create'),
      action('New definition', 'book', opened(at(projectOf(place), 'definitions'), 'new'), 'create'),
      action('New release', 'tag', opened(at(projectOf(place), 'releases'), 'new'), 'create'),
      action('Grant access', 'people', opened(at(projectOf(place), 'access'), 'new')),
    )
  }
  actions.push(
    action('New project', 'folder', opened(at(organization, 'projects'), 'new'), 'create'),
    action('New API key', 'key', settings('keys'), 'create token'),
    action('Add a member', 'people', settings('members'), 'invite user'),
    action('New group', 'people', settings('groups'), 'create'),
    action('New credential', 'key', settings('credentials'), 'create provider model'),
    action('New runner pool', 'plug', settings('runners'), 'create'),
  )
  return actions
}

const wordsOf = (text: string) => text.toLowerCase().split(/[\s/·,]+/)

/** How well a command matches the words; 0 for no match. */
export function scoreOf(
  { title, about = '', also = '' }: Pick<Command, 'title' | 'about' | 'also'>,
  text: string,
): number {
  const asked = text.trim().toLowerCase()
  if (asked === '') return 1
  const name = title.toLowerCase()
  if (name === asked) return 100
  const rest = `${about} ${also}`.toLowerCase()
  let score = name.startsWith(asked) ? 50 : 0
  for (const word of asked.split(/\s+/)) {
    if (wordsOf(title).some((one) => one.startsWith(word))) score += 10
    else if (name.includes(word)) score += 5
    else if (wordsOf(rest).some((one) => one.startsWith(word))) score += 2
    else return 0
  }
  return score
}

/** Best matches first; equal matches keep their order. */
export const ranked = <Each extends Pick<Command, 'title' | 'about' | 'also'>>(
  commands: readonly Each[],
  text: string,
): Each[] =>
  commands
    .map((command) => ({ command, score: scoreOf(command, text) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ command }) => command)

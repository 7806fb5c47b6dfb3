/** The parts that pages are made of. */
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from 'bun:test'
import { type ReactElement, Suspense } from 'react'
import { type ConsoleWorld, openConsole } from './support/console.ts'

let world: ConsoleWorld
let ui: {
  badge: typeof import('../../src/console/ui/badge.tsx')
  code: typeof import('../../src/console/ui/text/code.tsx')
  confirm: typeof import('../../src/console/ui/forms/confirm.tsx')
  dialog: typeof import('../../src/console/ui/forms/dialog.tsx')
  form: typeof import('../../src/console/ui/forms/form.tsx')
  lazyPart: typeof import('../../src/console/lazy-part.ts')
  nameAndSlug: typeof import('../../src/console/ui/forms/name-and-slug.tsx')
  streamNote: typeof import('../../src/console/ui/stream-note.tsx')
  table: typeof import('../../src/console/ui/table.tsx')
  tabs: typeof import('../../src/console/ui/tabs.tsx')
  toasts: typeof import('../../src/console/ui/toasts.tsx')
  virtual: typeof import('../../src/console/ui/virtual-rows.tsx')
}
beforeAll(async () => {
  world = await openConsole()
  ui = {
    badge: await import('../../src/console/ui/badge.tsx'),
    code: await import('../../src/console/ui/text/code.tsx'),
    confirm: await import('../../src/console/ui/forms/confirm.tsx'),
    dialog: await import('../../src/console/ui/forms/dialog.tsx'),
    form: await import('../../src/console/ui/forms/form.tsx'),
    lazyPart: await import('../../src/console/lazy-part.ts'),
    nameAndSlug: await import('../../src/console/ui/forms/name-and-slug.tsx'),
    streamNote: await import('../../src/console/ui/stream-note.tsx'),
    table: await import('../../src/console/ui/table.tsx'),
    tabs: await import('../../src/console/ui/tabs.tsx'),
    toasts: await import('../../src/console/ui/toasts.tsx'),
    virtual: await import('../../src/console/ui/virtual-rows.tsx'),
  }
})
afterEach(() => world.cleanup())
afterAll(() => world?.close())

const show = (element: ReactElement) => world.render(element)

test('of 10,000 rows only those that can be seen are in the document', () => {
  const items = Array.from({ length: 10_000 }, (_, place) => place)
  show(
    <ui.virtual.VirtualRows
      label="steps"
      items={items}
      rowHeight={30}
      heightMax={600}
      keyOf={(item) => item}
      row={(item) => `Step ${item}`}
    />,
  )
  const list = world.screen.getByRole('list', { name: 'steps' })
  expect(world.screen.getAllByRole('listitem').length).toBeLessThan(50)
  world.fireEvent.scroll(list, { target: { scrollTop: 150_000 } })
  world.screen.getByText('Step 5000')
  expect(world.screen.queryByText('Step 0')).toBeNull()
  expect(world.screen.getAllByRole('listitem').length).toBeLessThan(50)
})

test('each message enters the top layer anew, above a dialog that was opened since', () => {
  const entered = spyOn(HTMLElement.prototype, 'showPopover')
  function Page() {
    const { say } = ui.toasts.useToasts()
    return (
      <button type="button" onClick={() => say({ tone: 'bad', title: 'It has failed' })}>
        Save
      </button>
    )
  }
  try {
    show(
      <ui.toasts.ToastsProvider>
        <Page />
      </ui.toasts.ToastsProvider>,
    )
    const messages = world.screen.getByRole('region', { name: 'Messages' })
    const isOnTop = () => messages.hasAttribute('data-top-layer')
    expect(isOnTop()).toBe(false)
    for (const times of [1, 2]) {
      world.fireEvent.click(world.screen.getByRole('button', { name: 'Save' }))
      expect(entered).toHaveBeenCalledTimes(times)
      expect(isOnTop()).toBe(true)
    }
    for (const _ of [1, 2]) world.fireEvent.click(world.screen.getAllByRole('button', { name: 'Dismiss' })[0]!)
    expect(isOnTop()).toBe(false)
  } finally {
    entered.mockRestore()
  }
})

test('a destructive action asks for confirmation', () => {
  let deleted = 0
  const confirm = (
    <ui.confirm.ConfirmButton
      question="Delete this project?"
      consequence="All of it is gone."
      typed="support-desk"
      onConfirm={() => deleted++}
    >
      Delete
    </ui.confirm.ConfirmButton>
  )
  show(confirm)
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Delete' }))
  const input = world.screen.getByLabelText('Type support-desk to confirm')
  world.fireEvent.submit(input.closest('form')!)
  expect(deleted).toBe(0)
  world.fireEvent.change(input, { target: { value: 'support-desk' } })
  world.fireEvent.submit(input.closest('form')!)
  expect(deleted).toBe(1)
  expect(world.screen.queryByText('All of it is gone.')).toBeNull()
})

test.each([
  ['Remove', 'Cancel'],
  ['Cancel the run', 'Keep it'],
  ['Force cancel', 'Keep it'],
])('the question that "%s" answers with yes is answered with no by "%s"', (confirm, back) => {
  show(
    <ui.confirm.ConfirmButton question="Really?" consequence="It ends." confirm={confirm} onConfirm={() => {}}>
      End
    </ui.confirm.ConfirmButton>,
  )
  world.fireEvent.click(world.screen.getByRole('button', { name: 'End' }))
  world.fireEvent.click(world.screen.getByRole('button', { name: back }))
  expect(world.screen.queryByText('It ends.')).toBeNull()
})

test('a form can be left without saving in a dialog, and only there', () => {
  let left = 0
  const form = (
    <ui.form.Form action={{ pending: false, failure: undefined, issues: [] }} onSubmit={() => {}} submit="Save">
      <ui.form.TextField name="name" label="Name" />
    </ui.form.Form>
  )
  const { unmount } = show(form)
  expect(world.screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Save'])
  unmount()
  show(
    <ui.dialog.Dialog title="New project" open onClose={() => left++}>
      {form}
    </ui.dialog.Dialog>,
  )
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Cancel' }))
  expect(left).toBe(1)
})

test('a dialog closes by a click beside it, and not by a selection of text that ends there', () => {
  let closed = 0
  show(
    <ui.dialog.Dialog title="New project" open onClose={() => closed++}>
      <input aria-label="Name" />
    </ui.dialog.Dialog>,
  )
  const dialog = world.screen.getByRole('dialog')
  // the browser sends the click to the nearest element around both ends of the selection
  world.fireEvent.mouseDown(world.screen.getByLabelText('Name'))
  world.fireEvent.mouseUp(dialog)
  world.fireEvent.click(dialog)
  expect(closed).toBe(0)
  world.fireEvent.mouseDown(dialog)
  world.fireEvent.mouseUp(dialog)
  world.fireEvent.click(dialog)
  expect(closed).toBe(1)
})

test('a dialog whose form loads late focuses its first field then, unless the user was quicker', async () => {
  const late = (isLoaded: boolean) => (
    <ui.dialog.Dialog title="New release" open onClose={() => {}}>
      {isLoaded ? <input aria-label="Description" /> : <p>Loading</p>}
    </ui.dialog.Dialog>
  )
  const field = () => world.screen.getByLabelText('Description')
  const first = show(late(false))
  first.rerender(late(true))
  await world.waitFor(() => expect(document.activeElement).toBe(field()))
  first.unmount()
  const second = show(late(false))
  const close = world.screen.getByRole('button', { name: 'Close' })
  close.focus()
  world.fireEvent.keyDown(close, { key: 'Tab' })
  second.rerender(late(true))
  await Bun.sleep(0)
  expect(document.activeElement).not.toBe(field())
})

test.each([
  ['awaitingToolResult', 'awaiting tool result', 'waiting'],
  ['dead-letter', 'dead-letter', 'bad'],
  ['waiting_approval', 'waiting approval', 'waiting'],
  ['never heard of', 'never heard of', 'idle'],
])('the state %s reads "%s"', (state, words, tone) => {
  show(<ui.badge.StateBadge state={state} />)
  expect(world.screen.getByText(words).className).toContain(`badge-${tone}`)
})

test('JSON is text, whatever is in it', () => {
  const { container } = show(<ui.code.Json label="input" value={{ html: '<img src=x onerror=alert(1)>' }} />)
  expect(container.querySelector('img')).toBeNull()
  world.screen.getByText(/<img src=x onerror=alert\(1\)>/)
})

test.each([
  ['open', 'Live'],
  ['resuming', 'Connection lost, resuming'],
  ['ended', 'Complete'],
] as const)('a stream that is %s says "%s"', (state, words) => {
  show(<ui.streamNote.StreamNote live={{ state, failure: undefined }} />)
  expect(world.screen.getByRole('status').textContent).toBe(words)
})

test('a part whose code is gone after an update says so, and the rest stays', async () => {
  const Part = ui.lazyPart.lazyPart<object>(() => Promise.reject(new TypeError('Failed to fetch')))
  show(
    <Suspense fallback="Loading">
      The rest
      <Part />
    </Suspense>,
  )
  await world.screen.findByText('This part of the page could not be loaded')
  world.screen.getByText(/The rest/)
  world.screen.getByRole('button', { name: 'Reload' })
})

test('keys go from tab to tab', () => {
  const tabs = ['Steps', 'Input', 'Log'].map((title) => ({ title, content: () => <p>{`The ${title}`}</p> }))
  show(<ui.tabs.InnerTabs label="Run" tabs={tabs} />)
  const moves = [
    ['ArrowRight', 'Input'],
    ['ArrowLeft', 'Steps'],
    ['ArrowLeft', 'Log'],
    ['ArrowRight', 'Steps'],
    ['End', 'Log'],
    ['Home', 'Steps'],
  ] as const
  for (const [key, title] of moves) {
    world.fireEvent.keyDown(world.screen.getByRole('tab', { selected: true }), { key })
    expect(world.screen.getByRole('tab', { selected: true }).textContent).toBe(title)
    expect(document.activeElement?.textContent).toBe(title)
    world.screen.getByText(`The ${title}`)
  }
})

test('a table on a phone has its titles at the values', () => {
  show(
    <ui.table.Table
      label="things"
      items={[{ id: 'a', name: 'Alpha' }]}
      keyOf={({ id }) => id}
      columns={[{ title: 'Name', cell: ({ name }) => name }]}
    />,
  )
  expect(world.screen.getByRole('cell', { name: 'Alpha' }).getAttribute('data-title')).toBe('Name')
})

test('a slug follows the name until it is edited', () => {
  show(<ui.nameAndSlug.NameAndSlug hint="Part of addresses." />)
  const type = (label: string, value: string) =>
    world.fireEvent.change(world.screen.getByLabelText(label), { target: { value } })
  const slug = () => (world.screen.getByLabelText('Slug') as HTMLInputElement).value
  type('Name', 'Support desk')
  expect(slug()).toBe('support-desk')
  type('Slug', 'desk')
  type('Name', 'Support desk North')
  expect(slug()).toBe('desk')
  type('Slug', '')
  type('Name', 'Support desk South')
  expect(slug()).toBe('support-desk-south')
})

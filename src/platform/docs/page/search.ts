/** The search of the page, which runs in the browser. The page is complete without it. */

/** Runs in the browser; refers to nothing outside itself. */
export function search() {
  const field = document.querySelector<HTMLInputElement>('#search')
  const found = document.querySelector('#found')
  const list = document.querySelector('nav')
  if (!field || !found || !list) return
  const entries = [...list.querySelectorAll<HTMLElement>('li[data-words]')]
  const groups = [...list.querySelectorAll<HTMLElement>('details')]
  const opened = groups.map((group) => group.hasAttribute('open'))

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    let count = 0
    for (const entry of entries) {
      const text = entry.dataset.words ?? ''
      entry.hidden = !words.every((word) => text.includes(word))
      if (!entry.hidden) count += 1
    }
    groups.forEach((group, index) => {
      group.hidden = !group.querySelector('li[data-words]:not([hidden])')
      group.toggleAttribute('open', words.length > 0 || opened[index])
    })
    found.textContent = words.length > 0 ? `${count} found` : ''
  }
  field.addEventListener('input', show)
  field.addEventListener('keydown', (event) => {
    const first = entries.find((entry) => !entry.hidden)?.querySelector('a')
    if (event.key === 'Enter' && first) first.click()
    if (event.key === 'Escape') {
      field.value = ''
      show()
    }
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    field.focus()
  })
  show()
}

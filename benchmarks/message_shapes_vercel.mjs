// Messages of Vercel's AI SDK, validated by it; each with the turns that it must become: role, speaker, text, other fields.
import { modelMessageSchema, safeValidateUIMessages } from 'ai'

const said = 'I moved to Faro'
const url = 'https://x.org/a.png'
const user = (text, fields = {}) => ['user', null, text, fields]
const reply = (text, fields = {}) => ['assistant', null, text, fields]
const tool = (name, text) => ['tool', name, text, {}]
const text = { type: 'text', text: said }
const noted = { type: 'text', text: 'Noted', state: 'done' }
const input = { city: 'Faro' }
const call = tool('weather', 'weather({"city": "Faro"})')
const called = tool('weather', 'weather({"city": "Faro"})\n21 degrees')
const id = { toolCallId: 'c1' }

const ui = (name, role, parts, turns, fields = {}) => [name, { id: 'm1', role, parts, ...fields }, turns]
const shapes = [
  ui('user', 'user', [text], [user(said, { message_id: 'm1' })]),
  ui('two texts', 'user', [text, text], [user(`${said}\n${said}`)]),
  ui('metadata', 'user', [text], [user(said, { metadata: { mood: 'glad' } })], { metadata: { mood: 'glad' } }),
  ui('assistant', 'assistant', [{ type: 'step-start' }, noted], [reply('Noted')]),
  ui('reasoning', 'assistant', [{ type: 'reasoning', text: 'hm' }, noted], [reply('Noted')]),
  ui('system', 'system', [{ type: 'text', text: 'Be kind' }], [['system', null, 'Be kind', {}]]),
  ui('file', 'user', [text, { type: 'file', mediaType: 'image/png', url }], [user(said, { attachments: [url] })]),
  ui('file with a name', 'user', [{ type: 'file', mediaType: 'application/pdf', filename: 'bill.pdf', url: 'data:application/pdf;base64,AA==' }],
    [user('', { caption: 'attached: bill.pdf', attachments: ['bill.pdf'] })]),
  ui('file inline', 'user', [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' }],
    [user('', { caption: 'a picture', attachments: ['data:image/png'] })]),
  ui('sources', 'assistant', [noted, { type: 'source-url', sourceId: 's', url }, { type: 'source-document', sourceId: 's', mediaType: 'text/plain', title: 'T' }], [reply('Noted')]),
  ui('data', 'assistant', [noted, { type: 'data-weather', data: { degrees: 21 } }], [reply('Noted')]),
  ui('tool, input-available', 'assistant', [{ type: 'tool-weather', ...id, state: 'input-available', input }], [call]),
  ui('tool, output-available', 'assistant', [noted, { type: 'tool-weather', ...id, state: 'output-available', input, output: '21 degrees' }], [reply('Noted'), called]),
  ui('tool, output-error', 'assistant', [{ type: 'tool-weather', ...id, state: 'output-error', input, errorText: 'no such city' }],
    [tool('weather', 'weather({"city": "Faro"})\nno such city')]),
  ui('tool, output of data', 'assistant', [{ type: 'tool-weather', ...id, state: 'output-available', input, output: { degrees: 21 } }],
    [tool('weather', 'weather({"city": "Faro"})\n{"degrees": 21}')]),
  ui('dynamic-tool', 'assistant', [{ type: 'dynamic-tool', toolName: 'weather', ...id, state: 'output-available', input, output: '21 degrees' }], [called]),
  ui('steps', 'assistant', [{ type: 'step-start' }, noted, { type: 'tool-weather', ...id, state: 'output-available', input, output: '21 degrees' }, { type: 'step-start' }, { type: 'text', text: 'Warm' }],
    [reply('Noted'), called, reply('Warm')]),
]
for (const [name, message] of shapes) {
  const checked = await safeValidateUIMessages({ messages: [message] })
  if (!checked.success) throw new Error(`${name}: ${checked.error}`)
}

const model = (name, role, content, turns) => [name, { role, content }, turns]
const sent = [
  model('model message, user', 'user', said, [user(said)]),
  model('model message, parts', 'user', [text, { type: 'image', image: url }], [user(said, { attachments: [url] })]),
  model('model message, tool-call', 'assistant', [{ type: 'text', text: 'Noted' }, { type: 'tool-call', ...id, toolName: 'weather', input }], [reply('Noted'), call]),
  model('model message, reasoning', 'assistant', [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'Noted' }], [reply('Noted')]),
  model('model message, tool-result', 'tool', [{ type: 'tool-result', ...id, toolName: 'weather', output: { type: 'text', value: '21 degrees' } }], [tool('weather', '21 degrees')]),
  model('model message, tool-result of data', 'tool', [{ type: 'tool-result', ...id, toolName: 'weather', output: { type: 'json', value: { degrees: 21 } } }], [tool('weather', '{"degrees": 21}')]),
]
for (const [name, message] of sent) {
  const checked = modelMessageSchema.safeParse(message)
  if (!checked.success) throw new Error(`${name}: ${checked.error}`)
}

// The version before 5 cannot be installed beside it: its forms are those of its guide to migration.
const old = { id: 'm1', role: 'assistant', createdAt: '2026-03-01T09:30:00.000Z', content: 'Noted' }
const invocation = { state: 'result', ...id, toolName: 'weather', args: input, result: '21 degrees' }
const before = [
  ['version 4', old, [reply('Noted', { at: '2026-03-01T09:30:00+00:00' })]],
  ['version 4, parts', { ...old, parts: [{ type: 'text', text: 'Noted' }] }, [reply('Noted')]],
  ['version 4, tool-invocation', { ...old, parts: [{ type: 'text', text: 'Noted' }, { type: 'tool-invocation', toolInvocation: invocation }], toolInvocations: [invocation] }, [reply('Noted'), called]],
  ['version 4, toolInvocations', { ...old, toolInvocations: [invocation] }, [reply('Noted'), called]],
]
console.log(JSON.stringify([...shapes, ...sent, ...before]))

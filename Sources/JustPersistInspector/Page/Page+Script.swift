extension Page {
    static let script = #"""
        // All values of a store reach the page through textContent, so that none of them is markup.
        const $ = (id) => document.getElementById(id);
        const h = (tag, props = {}, ...children) => {
          const node = document.createElement(tag);
          for (const [name, value] of Object.entries(props)) {
            if (value === undefined || value === null || value === false) continue;
            if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
            else node.setAttribute(name, value === true ? '' : value);
          }
          node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
          return node;
        };
        const say = (text) => { $('status').textContent = text; clearTimeout(say.timer); say.timer = setTimeout(() => { $('status').textContent = ''; }, 4000); };
        const number = (value) => value === null || value === undefined ? '?' : value.toLocaleString('en-US');
        const column = (name) => h('th', { scope: 'col', class: ['Items', 'Entries', 'Bytes', 'Largest value'].includes(name) ? 'num' : null }, name);
        const clock = (time) => new Date(time).toLocaleTimeString();

        // --- Requests

        class Refused extends Error {
          constructor(failure, status) { super(failure?.message ?? `The inspector answered ${status}.`); this.failure = failure; this.status = status; }
        }

        const path = (name, params) => {
          const query = new URLSearchParams();
          for (const [key, value] of Object.entries(params)) {
            for (const one of [].concat(value ?? [])) if (one !== '') query.append(key, one);
          }
          return `/${name}?${query}`;
        };

        const get = async (name, params, signal) => {
          const response = await fetch(path(name, params), { signal });
          if (response.ok) return response;
          let failure;
          try { failure = (await response.json()).error; } catch { /* no body */ }
          throw new Refused(failure, response.status);
        };
        const json = async (name, params, signal) => (await get(name, params, signal)).json();

        // Changes need the token besides the cookie. It is kept for the tab, and only where changes are allowed.
        let token = sessionStorage.getItem('token') ?? '';
        const post = async (name, body) => {
          const response = await fetch(`/${name}`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'Authorization': `Bearer ${token}` }, body: JSON.stringify(body) });
          if (response.ok) return response.text();
          let failure;
          try { failure = (await response.json()).error; } catch { /* no body */ }
          throw new Refused(failure ?? (response.status === 401 ? { message: 'Open the address that the program printed again: changes need its token.' } : undefined), response.status);
        };

        const signIn = async () => {
          const match = /^#t=([0-9a-f]{32})$/.exec(location.hash);
          if (!match) return;
          history.replaceState(null, '', location.pathname + location.search);
          token = match[1];
          await fetch('/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token: match[1] }) });
        };

        // --- The state, which is the address

        const state = () => {
          const query = new URLSearchParams(location.search);
          return {
            store: Number(query.get('store') ?? 0), view: query.get('view') ?? '', type: query.get('type') ?? '',
            where: query.get('where') ?? '', sort: query.getAll('sort'), id: query.get('id') ?? '', row: Number(query.get('row') ?? 0),
            part: query.get('part') ?? '', number: query.get('number') ?? '', from: query.get('from') ?? '', after: query.get('after') ?? '', other: query.get('other') ?? '',
          };
        };
        const address = (params) => path('', params);
        const go = (params, replaces = false) => {
          const next = address(params);
          // The server refuses a longer head, also when the page is read again.
          if (next.length > 12000) { say('This filter is too long for an address.'); return; }
          history[replaces ? 'replaceState' : 'pushState'](null, '', next);
          if (!replaces) show();
        };
        const link = (params, ...children) => h('a', {
          href: address(params),
          onclick: (event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
            event.preventDefault();
            go(params);
          },
        }, ...children);

        let stores = [];
        let types = [];
        let leave = () => {};

        const show = async () => {
          leave();
          leave = () => {};
          const at = state();
          try {
            if (!stores.length) {
              stores = await json('stores.json', {});
              if (token && stores.some((one) => one.isChangeable)) sessionStorage.setItem('token', token);
            }
            if (at.store >= stores.length) at.store = 0;
            types = await json('types.json', { store: at.store });
            showNavigation(at);
            const view = { item: at.id ? showItem : showNew, draft: showDraft, schema: showSchema, raw: showRaw, verify: showVerify, stats: showStats, diff: showDiff }[at.view];
            if (view) await view(at);
            else if (at.type) showGrid(at);
            else showTypes(at);
            document.title = [at.id || at.view || at.type, stores[at.store].name, 'inspector'].filter(Boolean).join(' · ');
          } catch (error) { showFailure(error); }
        };

        const showFailure = (error) => {
          if (error.name === 'AbortError') return;
          if (error.status === 401) {
            $('nav').replaceChildren();
            $('main').replaceChildren(h('h1', {}, 'Not signed in'),
              h('p', {}, 'Open the address that the program printed when the inspector started: it contains the token.'));
            return;
          }
          $('main').replaceChildren(h('h1', {}, 'This cannot be shown'), h('p', { class: 'bad' }, error.message));
        };

        const showNavigation = (at) => {
          $('nav').replaceChildren(...stores.flatMap((store, index) => [
            h('h2', {}, link({ store: index }, store.name)),
            index !== at.store ? null : h('ul', {}, ...types.filter((type) => !type.isLinks || type.name === at.type).map((type) => {
              const entry = link({ store: index, type: type.name }, h('span', {}, type.name), h('span', { class: type.damage ? 'bad' : 'n' }, type.damage ? 'damaged' : number(type.count)));
              if (type.name === at.type) entry.setAttribute('aria-current', 'page');
              return h('li', {}, entry);
            })),
            index !== at.store ? null : h('ul', {},
              h('li', {}, link({ store: index, view: 'schema' }, 'Schema')),
              store.isChangeable ? h('li', {}, link({ store: index, view: 'draft' }, h('span', {}, 'Draft'), h('span', { class: 'n' }, number(draftOf(index).length)))) : null,
              store.hasRawEntries ? h('li', {}, link({ store: index, view: 'raw' }, 'Bytes')) : null,
              store.hasRawEntries ? h('li', {}, link({ store: index, view: 'stats' }, 'Sizes')) : null,
              h('li', {}, link({ store: index, view: 'verify' }, 'Verify')),
              ...stores.map((other, place) => place === index ? null : h('li', {}, link({ store: index, view: 'diff', other: place }, `Compare with ${other.name}`)))),
          ].filter(Boolean)));
        };

        // --- Values

        const cellText = (cell) => {
          if (cell.kind === 'null') return '';
          if (cell.kind === 'hidden') return `hidden, ${number(cell.size)} bytes`;
          return cell.text + (cell.size === undefined ? '' : ` … ${number(cell.size)} bytes`);
        };
        const describe = (cell) => {
          if (cell.kind !== 'date') return `${cell.kind}: ${cellText(cell)}`;
          const date = new Date(cell.text);
          return `date: ${cell.text} (UTC)` + (isNaN(date) ? '' : `\n${date.toLocaleString()} (local)`);
        };
        const isNumber = (cell) => ['int', 'double', 'decimal'].includes(cell.kind);
        const valueNode = (cell, at) => {
          if (cell.target) return link({ store: at.store, view: 'item', type: cell.target.type, id: cell.target.id }, cellText(cell));
          const node = h('span', { class: cell.kind === 'null' || cell.kind === 'hidden' ? 'dim' : null, title: describe(cell) });
          node.textContent = cell.kind === 'null' ? 'null' : cellText(cell);
          return node;
        };

        const bytesOf = (digits) => Uint8Array.from({ length: digits.length / 2 }, (_, place) => parseInt(digits.slice(2 * place, 2 * place + 2), 16));
        // Sixteen bytes a line: position, digits, ASCII.
        const dump = (digits) => {
          const bytes = bytesOf(digits);
          const lines = [];
          for (let start = 0; start < bytes.length; start += 16) {
            const line = [...bytes.slice(start, start + 16)];
            lines.push([start.toString(16).padStart(8, '0'), line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ').padEnd(47),
              line.map((byte) => byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.').join('')].join('  '));
          }
          return lines.join('\n');
        };
        // The text that bytes are, if they are UTF-8 without control characters.
        const textOf = (digits) => {
          try {
            const text = new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(digits));
            return text && !/[\u0000-\u0008\u000e-\u001f\u007f]/.test(text) ? text : null;
          } catch { return null; }
        };

        // --- Types

        const showTypes = (at) => {
          const rows = types.map((type) => h('tr', {},
            h('th', { scope: 'row' }, link({ store: at.store, type: type.name }, type.name), type.isLinks ? h('span', { class: 'dim' }, ' links') : null),
            h('td', { class: 'num' }, type.damage ? h('span', { class: 'bad' }, type.damage) : number(type.count)),
            h('td', {}, ...type.attributes.flatMap((attribute) => [attribute.name, h('span', { class: 'kind' }, ` ${attribute.kinds.join('|')}  `)])),
            h('td', {}, type.indexes.map((index) => index.attributes.join(', ') + (index.isUnique ? ' (unique)' : '') + (index.ignoresCase ? ' (ignoring case)' : '')).join('; ')),
            h('td', {}, type.relationships.map((one) => `${one.name} → ${one.type}${one.isToMany ? '*' : ''}`).join('; '))));
          $('main').replaceChildren(h('h1', {}, stores[at.store].name),
            types.length === 0 ? h('p', {}, 'The store has no types yet.') : h('table', {},
              h('thead', {}, h('tr', {}, ...['Type', 'Items', 'Attributes', 'Indexes', 'Relationships'].map(column))),
              h('tbody', {}, ...rows)));
        };

        // --- Changes

        const drafts = new Map();
        const undos = new Map();
        const draftOf = (store) => { if (!drafts.has(store)) drafts.set(store, []); return drafts.get(store); };
        const add = (at, change) => { draftOf(at.store).push(change); go({ store: at.store, view: 'draft' }); };

        // A field of JSON for each attribute; only those that were changed become part of the draft.
        const editor = (at, attributes, isNew) => {
          const fields = attributes.map((one) => ({ ...one, field: h('textarea', { 'aria-label': one.name, class: 'mono', rows: String(Math.min(12, 1 + Math.floor((one.json ?? '').length / 80))), spellcheck: 'false' }) }));
          for (const one of fields) one.field.value = one.json;
          return h('form', { onsubmit: (event) => {
            event.preventDefault();
            const values = Object.fromEntries(fields.filter((one) => one.field.value !== one.json).map((one) => [one.name, one.field.value]));
            if (isNew || Object.keys(values).length) add(at, { type: at.type, id: isNew ? undefined : at.id, values });
          } }, h('table', { class: 'item' }, h('tbody', {}, ...fields.map((one) => h('tr', {}, h('th', { scope: 'row' }, one.name), h('td', {}, one.field))))),
            h('div', { class: 'bar' }, h('button', {}, 'Add to the draft'), h('span', { class: 'dim' }, 'Values are JSON: "text", 3, null, {"$date": 0}')));
        };

        const showNew = (at) => {
          const type = types.find((one) => one.name === at.type);
          $('main').replaceChildren(h('h1', {}, `New ${at.type}`), editor(at, (type?.attributes ?? []).filter((one) => !one.isHidden).map((one) => ({ name: one.name, json: 'null' })), true));
        };

        const showDraft = async (at) => {
          const [draft, undo] = [draftOf(at.store), undos.get(at.store)];
          const bar = h('div', { class: 'bar' });
          const text = h('p', { class: 'bad', role: 'alert' });
          const list = h('ul', {});
          $('main').replaceChildren(h('h1', {}, 'Draft'), bar, text, list);
          if (undo) bar.append(h('button', { type: 'button', onclick: () => { drafts.set(at.store, undo); undos.delete(at.store); show(); } }, 'Undo the last commit'));
          if (!draft.length) { list.replaceWith(h('p', { class: 'dim' }, 'Nothing is changed. Edit or delete an item, and it appears here.')); return; }
          bar.prepend(h('button', { type: 'button', onclick: () => { drafts.delete(at.store); show(); } }, 'Discard'));
          try {
            const preview = await post('preview', { store: at.store, changes: draft });
            const { changes } = JSON.parse(preview);
            list.replaceChildren(...changes.map((one) => h('li', {}, `${one.kind}: ${one.type} `, one.id ? link({ store: at.store, view: 'item', type: one.type, id: one.id }, one.id) : null,
              ...one.values.map((value) => h('pre', {}, `${value.attribute}: ${value.before} → ${value.after}`)),
              ...Object.entries(one.cascades).map(([type, count]) => h('div', { class: 'bad' }, `and ${number(count)} of ${type} with it`)),
              ...Object.entries(one.cleared).map(([name, count]) => h('div', {}, `and clears ${name} of ${number(count)}`)))));
            bar.prepend(h('button', { type: 'button', onclick: async (event) => {
              event.target.disabled = true;
              try {
                await post('commit', { store: at.store, changes: draft, preview });
                // Deletions and new items cannot be undone here.
                const inverse = changes.filter((one) => one.kind === 'changed').map((one) => ({ type: one.type, id: one.id, values: Object.fromEntries(one.values.map((value) => [value.attribute, value.before])) }));
                drafts.delete(at.store);
                inverse.length === changes.length ? undos.set(at.store, inverse.reverse()) : undos.delete(at.store);
                say('Committed');
                show();
              } catch (error) { text.textContent = error.message; }
            } }, 'Commit'));
          } catch (error) { text.textContent = error.message; }
        };

        // --- The schema

        const svg = (name, props, ...children) => {
          const node = document.createElementNS('http://www.w3.org/2000/svg', name);
          for (const [key, value] of Object.entries(props)) node.setAttribute(key, value);
          node.append(...children);
          return node;
        };
        const rule = (one) => ({ nullify: 'clears the reference', cascade: 'deletes them too', deny: 'is refused', noAction: 'leaves the reference' })[one.deleteRule] ?? one.deleteRule;
        const short = (text, most) => [...text].length > most ? [...text].slice(0, most - 1).join('') + '…' : text;

        // A box for each type in a grid, and a line for each relationship between the middles of the boxes.
        const diagram = (shown) => {
          const [wide, high, gapX, gapY, line] = [210, 190, 130, 50, 15];
          const columns = Math.max(1, Math.ceil(Math.sqrt(shown.length)));
          const place = new Map(shown.map((type, index) => [type.name, { x: 10 + (index % columns) * (wide + gapX), y: 10 + Math.floor(index / columns) * (high + gapY) }]));
          const lines = [], boxes = [], drawn = new Set();
          for (const type of shown) {
            const from = place.get(type.name);
            const rows = type.attributes.slice(0, 8).map((one, index) => svg('text', { x: from.x + 10, y: from.y + 42 + index * line, class: 'small' }, short(`${one.name}  ${one.kinds.join('|')}`, 30)));
            if (type.attributes.length > 8) rows.push(svg('text', { x: from.x + 10, y: from.y + 42 + 8 * line, class: 'small' }, `and ${type.attributes.length - 8} more`));
            boxes.push(svg('g', {}, svg('title', {}, type.name), svg('rect', { x: from.x, y: from.y, width: wide, height: high, rx: 5 }), svg('text', { x: from.x + 10, y: from.y + 20, class: 'name' }, short(type.name, 26)), ...rows));
            type.relationships.forEach((one, index) => {
              const to = place.get(one.type);
              if (!to || drawn.has(`${one.type} ${one.inverse}`)) return;
              drawn.add(`${type.name} ${one.name}`);
              const label = `${one.name}${one.isToMany ? '*' : ''}${one.inverse ? ` / ${one.inverse}` : ''}`;
              const [x1, y1, x2, y2] = [from.x + wide / 2, from.y + high / 2, to.x + wide / 2, to.y + high / 2];
              if (to === from) {
                lines.push(svg('path', { d: `M ${from.x + wide} ${from.y + 30 + index * 20} h 30 v 30 h -30` }), svg('text', { x: from.x + wide + 4, y: from.y + 26 + index * 20, class: 'small' }, short(label, 11)));
              } else {
                lines.push(svg('path', { d: `M ${x1} ${y1} L ${x2} ${y2}` }));
                boxes.push(svg('text', { x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 4 - index * 13, class: 'small label' }, short(label, 24)));
              }
            });
          }
          const [width, height] = [20 + columns * (wide + gapX), 20 + Math.ceil(shown.length / columns) * (high + gapY)];
          return svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': 'The types and their relationships; the tables below have the same' }, ...lines, ...boxes);
        };

        const showSchema = (at) => {
          const shown = types.filter((type) => !type.isLinks);
          const former = (names) => names.length ? h('span', { class: 'dim' }, ` formerly ${names.join(', ')}`) : null;
          const limits = (one) => (one.isToMany ? 'many' : 'one') + (one.isOrdered ? ', ordered' : '') + (one.minimum ? `, ${one.minimum} at least` : '') + (one.maximum === undefined ? '' : `, ${one.maximum} at most`);
          $('main').replaceChildren(h('h1', {}, `Schema of ${stores[at.store].name}`),
            shown.length ? h('div', { class: 'diagram', tabindex: '0', role: 'region', 'aria-label': 'Diagram' }, diagram(shown)) : h('p', {}, 'The store has no types yet.'),
            ...shown.flatMap((type) => [h('h2', {}, link({ store: at.store, type: type.name }, type.name), former(type.formerNames)),
              h('table', {}, h('thead', {}, h('tr', {}, ...['Attribute', 'Kinds', 'Relationship', 'When deleted'].map(column))), h('tbody', {},
                ...type.attributes.filter((one) => !type.relationships.some((other) => other.name === one.name)).map((one) => h('tr', {}, h('th', { scope: 'row' }, one.name, former(one.formerNames)), h('td', {}, one.kinds.join(', ') || 'any'), h('td', {}), h('td', {}))),
                ...type.relationships.map((one) => h('tr', {}, h('th', { scope: 'row' }, one.name, former(one.formerNames)), h('td', {}, limits(one)),
                  h('td', {}, `${one.type}${one.inverse ? `, inverse ${one.inverse}` : ''}`), h('td', {}, rule(one)))))),
              type.indexes.length ? h('p', {}, 'Indexes: ' + type.indexes.map((index) => index.attributes.join(', ') + (index.isUnique ? ' (unique)' : '') + (index.ignoresCase ? ' (ignoring case)' : '')).join('; ')) : null].filter(Boolean)));
        };

        // --- The filter

        const WORDS = ['AND', 'OR', 'NOT', 'IN', 'BETWEEN', 'CONTAINS[cd]', 'BEGINSWITH[cd]', 'ENDSWITH[cd]', 'LIKE[cd]', 'MATCHES', 'ANY', 'ALL', 'nil', 'TRUE', 'FALSE', 'TRUEPREDICATE', 'SUBQUERY(', 'CAST(', 'length(', 'lowercase(', '@count'];

        // Names and words of the language that begin as the word before the caret: arrows choose, Enter or Tab takes.
        const completed = (filter, names) => {
          const list = h('ul', { class: 'choices', id: 'choices', role: 'listbox', 'aria-label': 'Completions', hidden: true });
          let place = -1;
          const before = () => filter.value.slice(0, filter.selectionStart);
          const word = () => /[\p{L}\p{N}_.@$#]*$/u.exec(before())[0];
          const close = () => { list.hidden = true; place = -1; filter.setAttribute('aria-expanded', 'false'); filter.removeAttribute('aria-activedescendant'); };
          const take = (choice) => { filter.setRangeText(choice + ' ', filter.selectionStart - word().length, filter.selectionStart, 'end'); close(); filter.focus(); };
          const mark = () => {
            [...list.children].forEach((one, index) => one.setAttribute('aria-selected', String(index === place)));
            if (place >= 0) filter.setAttribute('aria-activedescendant', list.children[place].id);
          };
          filter.addEventListener('input', () => {
            const begun = word().toLowerCase();
            const isText = (before().replace(/\\./g, '').match(/"/g) ?? []).length % 2 === 1;
            const choices = begun && !isText ? [...names, ...WORDS].filter((one) => one.toLowerCase().startsWith(begun) && one.toLowerCase() !== begun).slice(0, 8) : [];
            place = -1;
            list.replaceChildren(...choices.map((one, index) => h('li', { role: 'option', id: `choice-${index}`, 'aria-selected': 'false', onmousedown: (event) => { event.preventDefault(); take(one); } }, one)));
            if (!choices.length) return close();
            list.hidden = false;
            filter.setAttribute('aria-expanded', 'true');
          });
          filter.addEventListener('keydown', (event) => {
            if (list.hidden) return;
            const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (steps) { place = (place + steps + list.children.length + (place < 0 && steps < 0 ? 1 : 0)) % list.children.length; mark(); }
            else if ((event.key === 'Enter' || event.key === 'Tab') && place >= 0) take(list.children[place].textContent);
            else if (event.key === 'Escape') close();
            else { if (event.key === 'Enter') close(); return; }
            event.preventDefault();
          });
          filter.addEventListener('blur', close);
          return list;
        };

        // A predicate for each kind that the type has.
        const examples = (type) => {
          const found = new Map();
          const add = (kind, text) => { if (!found.has(kind)) found.set(kind, text); };
          for (const { written: name, kinds, isHidden } of type?.attributes ?? []) {
            if (isHidden || kinds.length !== 1) continue;
            if (kinds[0] === 'string') { add('string', `${name} CONTAINS[cd] "cafe"`); add('begin', `${name} BEGINSWITH "A" OR ${name} == nil`); }
            if (['int', 'double', 'decimal'].includes(kinds[0])) { add('number', `${name} > 3`); add('between', `${name} BETWEEN {1, 5}`); add('in', `${name} IN {1, 2, 3}`); }
            if (kinds[0] === 'bool') add('bool', `${name} == TRUE`);
            if (kinds[0] === 'date') add('date', `${name} >= CAST(${Math.floor(Date.now() / 1000) - 978307200 - 86400}, "NSDate")`);
            if (kinds[0] === 'array') add('array', `"a" IN ${name}`);
            if (kinds[0] === 'reference') add('reference', `${name} != nil`);
          }
          return [...found.values()];
        };

        // --- The grid

        const ROW = 26, PAGE = 100, MOST = 8_000_000;

        const showGrid = (at) => {
          const type = types.find((one) => one.name === at.type);
          const written = (name) => type?.attributes.find((one) => one.name === name)?.written ?? name;
          const query = { store: at.store, type: at.type, where: at.where, sort: at.sort };
          const abort = new AbortController();
          const selected = new Set();
          const changed = new Set(), arrived = new Set();
          let pages = new Map(), columns = null, count = null, isOpen = false, focus = at.row, first = at.row, events = null;
          // Answers to requests before the last change are dropped.
          let generation = 0;

          const filter = h('input', { class: 'filter', name: 'where', value: at.where, 'aria-label': 'Filter by a predicate', 'aria-describedby': 'fault', spellcheck: 'false', autocomplete: 'off', role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': 'choices',
            placeholder: 'A predicate: stars > 3 AND name CONTAINS[cd] "cafe"' });
          const fault = h('pre', { class: 'fault', id: 'fault', role: 'alert' });
          const plan = h('div', { class: 'plan', id: 'plan' });
          const space = h('div', { class: 'space' });
          const head = h('div', { class: 'row head', role: 'row' });
          const body = h('div', { role: 'rowgroup' });
          const grid = h('div', { class: 'grid', role: 'grid', tabindex: '0', 'aria-label': `Items of ${at.type}`, 'aria-multiselectable': 'true' }, space, head, body);
          const live = h('button', { type: 'button', 'aria-pressed': 'false', disabled: !stores[at.store].isLive, onclick: () => watch(live.getAttribute('aria-pressed') !== 'true') }, 'Live');
          const format = h('select', { 'aria-label': 'Format' }, ...['json', 'jsonl', 'csv'].map((name) => h('option', {}, name)));
          const facet = h('select', { 'aria-label': 'Frequent values of' }, h('option', { value: '' }, 'Frequent values…'), ...(type?.attributes ?? []).filter((one) => !one.isHidden && !one.kinds.some((kind) => ['data', 'array', 'dictionary'].includes(kind))).map((one) => h('option', {}, one.name)));
          facet.addEventListener('change', () => { if (facet.value) showFacets(at, facet.value, query); facet.value = ''; });

          const bar = h('form', { class: 'bar', onsubmit: (event) => { event.preventDefault(); go({ ...query, where: filter.value }); } },
            h('div', { class: 'completed' }, filter, completed(filter, (type?.attributes ?? []).map((one) => one.written))),
            h('button', {}, 'Filter'), h('button', { type: 'button', onclick: () => go({ store: at.store, type: at.type }) }, 'Clear'));
          const tools = h('div', { class: 'bar' }, live, facet, format,
            h('button', { type: 'button', onclick: () => copy() }, 'Copy'), h('button', { type: 'button', onclick: () => save() }, 'Save'),
            h('button', { type: 'button', onclick: () => explain() }, 'Explain'),
            stores[at.store].isChangeable ? link({ store: at.store, view: 'item', type: at.type }, 'New item') : null,
            h('details', {}, h('summary', {}, 'Examples'), ...examples(type).map((text) => h('button', { type: 'button', class: 'mono', onclick: () => { filter.value = text; filter.focus(); } }, text))),
            h('span', { class: 'dim' }, 'Enter opens, Space selects'));
          $('main').replaceChildren(h('h1', {}, at.type), bar, fault, tools, plan, grid);
          $('main').classList.add('wide');

          const fail = (error) => {
            if (error.name === 'AbortError') return;
            const place = error.failure?.location;
            if (place) {
              const before = [...new Intl.Segmenter().segment(place.text)].slice(0, place.offset).map((one) => one.segment).join('');
              filter.setAttribute('aria-invalid', 'true');
              fault.textContent = `${place.text}\n${' '.repeat([...before].length)}^\n${error.message}`;
              filter.focus();
              filter.setSelectionRange(before.length, before.length);
            } else if (error.status === 401) showFailure(error);
            else fault.textContent = error.message;
          };

          const height = () => Math.min((count ?? 0) * ROW, MOST);
          const visible = () => Math.max(1, Math.floor((grid.clientHeight - ROW) / ROW));
          const isScaled = () => (count ?? 0) * ROW > MOST;
          const lastFirst = () => Math.max(0, (count ?? 0) - visible());

          const load = (page) => {
            if (pages.has(page)) return;
            pages.set(page, null);
            const begun = generation;
            json('rows.json', { ...query, offset: page * PAGE, limit: PAGE }, abort.signal).then((answer) => {
              if (begun !== generation) { if (!pages.get(page)) { pages.delete(page); draw(); } return; }
              take(page, answer);
              if (pages.size > 60) for (const old of [...pages.keys()].slice(0, 20)) if (Math.abs(old - page) > 3) pages.delete(old);
              draw();
            }).catch((error) => { pages.delete(page); fail(error); });
          };
          const take = (page, answer) => {
            pages.set(page, answer.rows);
            if (isOpen) grow(page, answer.rows);
            if (JSON.stringify(columns) === JSON.stringify(answer.columns)) return;
            // Another process has declared or renamed an attribute: the rows that are known have other columns.
            if (columns) { generation += 1; pages = new Map([[page, answer.rows]]); refreshSoon(false); }
            columns = answer.columns;
            drawHead();
          };
          // Without a count, the end is known when it is reached.
          const grow = (page, rows) => {
            const end = page * PAGE + rows.length;
            count = rows.length === PAGE ? Math.max(count ?? 0, end + 1) : end;
          };

          const drawHead = () => {
            const direction = (name) => at.sort.includes(name) ? 'ascending' : at.sort.includes(`${name}:desc`) ? 'descending' : null;
            const sortBy = (name, adds) => {
              const now = direction(name);
              const next = now === null ? [name] : now === 'ascending' ? [`${name}:desc`] : [];
              go({ ...query, sort: adds ? [...at.sort.filter((one) => one !== name && one !== `${name}:desc`), ...next] : next });
            };
            head.replaceChildren(h('div', { class: 'cell id', role: 'columnheader' }, h('span', { class: 'label' }, 'id')), ...columns.map((name) => {
              const now = direction(name);
              return h('div', { class: 'cell', role: 'columnheader', 'aria-sort': now ?? 'none' },
                h('button', { class: 'name', type: 'button', title: `Sort by ${name}; with Shift as a further key`, onclick: (event) => sortBy(name, event.shiftKey) }, name + (now === 'ascending' ? ' ▲' : now === 'descending' ? ' ▼' : '')));
            }));
          };

          const rowNode = (index, row) => {
            const node = h('div', { class: 'row', role: 'row', 'aria-rowindex': index + 2 });
            if (!row) { node.append(h('div', { class: 'cell dim', role: 'gridcell' }, '…')); return node; }
            const open = link({ store: at.store, view: 'item', type: at.type, id: row.id }, row.id.slice(-8));
            open.tabIndex = -1;
            node.append(h('div', { class: 'cell id', role: 'gridcell', title: row.id }, open), ...row.cells.map((cell) => {
              const inner = valueNode(cell, at);
              inner.tabIndex = -1;
              return h('div', { class: `cell ${isNumber(cell) ? 'num' : ''}`, role: 'gridcell', title: describe(cell) }, inner);
            }));
            node.addEventListener('click', (event) => {
              if (event.target.closest('a')) return;
              focus = index;
              toggle(row.id);
            });
            node.addEventListener('dblclick', () => openRow(row));
            return node;
          };

          // A row that is drawn again stays the same node in the same place: a click is lost if its node is replaced between
          // the press and the release of the button.
          let drawn = new Map();
          const drawRows = (begin, end) => {
            const next = new Map();
            for (let index = begin; index < end; index += 1) {
              const row = rowAt(index);
              const known = drawn.get(index);
              const node = known && known.row === row ? known.node : rowNode(index, row);
              node.style.top = `${ROW + (index - first) * ROW + (isScaled() ? grid.scrollTop : first * ROW)}px`;
              node.classList.toggle('focus', index === focus);
              node.classList.toggle('selected', !!row && selected.has(row.id));
              node.classList.toggle('changed', !!row && changed.has(row.id));
              node.setAttribute('aria-selected', String(!!row && selected.has(row.id)));
              next.set(index, { row, node });
            }
            const nodes = [...next.values()].map((one) => one.node);
            const kept = new Set(nodes);
            for (const node of [...body.children]) if (!kept.has(node)) node.remove();
            nodes.forEach((node, place) => { if (body.children[place] !== node) body.insertBefore(node, body.children[place] ?? null); });
            drawn = next;
          };

          const rowAt = (index) => pages.get(Math.floor(index / PAGE))?.[index % PAGE];
          const openRow = (row) => { if (row) { go({ ...query, row: focus }, true); go({ store: at.store, view: 'item', type: at.type, id: row.id }); } };
          const toggle = (id) => { selected.has(id) ? selected.delete(id) : selected.add(id); draw(); };

          const draw = () => {
            if (count === null) {
              // The first page appears before the items are counted.
              const page = Math.floor(first / PAGE);
              const rows = pages.get(page);
              if (rows) drawRows(first, Math.min(first + visible() + 2, page * PAGE + rows.length));
              return;
            }
            const width = 110 + 150 * (columns?.length ?? 1);
            space.style.height = `${height() + ROW}px`;
            space.style.width = `${width}px`;
            head.style.width = `${width}px`;
            // The row above may be visible in part.
            const [begin, end] = [Math.max(0, first - (isScaled() ? 0 : 1)), Math.min(count, first + visible() + 2)];
            for (let page = Math.floor(begin / PAGE); page * PAGE < end; page += 1) load(page);
            drawRows(begin, end);
            grid.setAttribute('aria-rowcount', count + 1);
          };

          const scrolled = () => {
            if (count === null || scrolled.isOwn) { scrolled.isOwn = false; return; }
            const range = Math.max(1, grid.scrollHeight - grid.clientHeight);
            first = Math.max(0, Math.min(lastFirst(), isScaled() ? Math.round(grid.scrollTop / range * lastFirst()) : Math.floor(grid.scrollTop / ROW)));
            draw();
            // The position belongs to the address; not each step of the wheel does.
            clearTimeout(scrolled.timer);
            scrolled.timer = setTimeout(() => { if (grid.isConnected) go({ ...query, row: first || '' }, true); }, 300);
          };
          const reveal = () => {
            if (focus < first) first = focus;
            if (focus >= first + visible()) first = focus - visible() + 1;
            first = Math.max(0, Math.min(first, lastFirst()));
            const range = Math.max(1, height() + ROW - grid.clientHeight);
            const top = Math.min(range, isScaled() ? first / Math.max(1, lastFirst()) * range : first * ROW);
            if (Math.abs(grid.scrollTop - top) >= 1) { scrolled.isOwn = true; grid.scrollTop = top; }
            draw();
          };
          grid.addEventListener('scroll', scrolled, { passive: true });
          grid.addEventListener('keydown', (event) => {
            if (event.target !== grid) return;
            // The keys work before the items are counted.
            const total = count ?? (pages.get(0)?.length ?? 0);
            if (total === 0) return;
            const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: visible(), PageUp: -visible(), Home: -total, End: total }[event.key];
            if (steps !== undefined) focus = Math.max(0, Math.min(total - 1, focus + steps));
            else if (event.key === 'Enter') return openRow(rowAt(focus));
            else if (event.key === ' ') { if (rowAt(focus)) toggle(rowAt(focus).id); }
            else return;
            // Also if the row has not arrived: the browser would scroll.
            event.preventDefault();
            reveal();
          });

          // --- Copies and files

          const exported = () => ({ ...query, format: format.value, id: [...selected] });
          const copy = async () => {
            try {
              if (selected.size > 80) throw new Error('Copy at most 80 selected items, or save the result as a file.');
              const params = selected.size ? exported() : { ...exported(), limit: 1000 };
              const text = await (await get('export', params)).text();
              await navigator.clipboard.writeText(text);
              say(selected.size ? `${number(selected.size)} items copied` : count > 1000 ? 'The first 1,000 items copied' : `${number(count)} items copied`);
            } catch (error) { fail(error); }
          };
          const save = () => {
            if (selected.size > 80) return fail(new Error('Save at most 80 selected items, or filter and save the whole result.'));
            const anchor = h('a', { href: path('export', exported()), download: true });
            document.body.append(anchor);
            anchor.click();
            anchor.remove();
          };

          const explain = async () => {
            try {
              const answer = await json('explain.json', { ...query, offset: first, limit: PAGE }, abort.signal);
              plan.textContent = `These rows: ${answer.plan}; ${answer.milliseconds.toFixed(1)} ms`;
            } catch (error) { fail(error); }
          };

          // --- Changes

          const watch = (isOn) => {
            live.setAttribute('aria-pressed', String(isOn));
            events?.close();
            events = null;
            watch.isBegun = false;
            if (!isOn) return;
            events = new EventSource(path('changes', { store: at.store, type: at.type }));
            events.addEventListener('change', (event) => {
              const change = JSON.parse(event.data);
              for (const id of [...change.inserted, ...change.updated]) arrived.add(id);
              // Of the commits of other processes it is only known that there were some: then the rows are compared.
              refreshSoon(!change.isWhole);
              if (watch.isBegun) say(change.isWhole ? `Changed: ${number(change.inserted.length)} new, ${number(change.updated.length)} updated, ${number(change.deleted.length)} deleted` : 'Changed');
              watch.isBegun = true;
            });
            events.addEventListener('failure', (event) => { fail(new Error(JSON.parse(event.data).message)); watch(false); });
            events.addEventListener('end', (event) => { say(JSON.parse(event.data).reason); watch(false); });
          };

          // One refresh at a time, and not too many: changes that arrive meanwhile share the next one.
          const refreshSoon = async (compares) => {
            refreshSoon.isDirty = true;
            refreshSoon.compares ||= compares;
            if (refreshSoon.isRunning) return;
            refreshSoon.isRunning = true;
            while (refreshSoon.isDirty && grid.isConnected) {
              const compared = refreshSoon.compares;
              refreshSoon.isDirty = refreshSoon.compares = false;
              changed.clear();
              for (const id of arrived) changed.add(id);
              arrived.clear();
              await Promise.all([refresh(true, compared), new Promise((done) => setTimeout(done, 500))]);
            }
            refreshSoon.isRunning = false;
          };

          const refreshPage = async (page, compares, begun) => {
            try {
              const answer = await json('rows.json', { ...query, offset: page * PAGE, limit: PAGE }, abort.signal);
              if (begun !== generation) return;
              if (compares && pages.get(page)) {
                const print = (row) => JSON.stringify(row.cells.map((cell) => [cell.kind, cell.text, cell.size]));
                const before = new Map(pages.get(page).map((row) => [row.id, print(row)]));
                for (const row of answer.rows) if (before.get(row.id) !== print(row)) changed.add(row.id);
              }
              take(page, answer);
              draw();
            } catch (error) { fail(error); }
          };

          const refresh = async (keepsRows = false, compares = false) => {
            const begun = ++generation;
            let shown = [];
            if (keepsRows) {
              shown = [...new Set([Math.floor(first / PAGE), Math.floor((first + visible()) / PAGE)])];
              for (const page of [...pages.keys()]) if (!shown.includes(page)) pages.delete(page);
            } else load(Math.floor(first / PAGE));
            await Promise.all([recount(keepsRows, begun), ...shown.map((page) => refreshPage(page, compares, begun))]);
          };

          const recount = async (keepsRows, begun) => {
            try {
              const answer = await json('count.json', query, abort.signal);
              if (begun !== generation) return;
              [count, isOpen] = [answer.count, false];
              plan.textContent = `${number(count)} items · ${answer.plan} · ${answer.milliseconds.toFixed(1)} ms · ${clock(answer.time)}`;
              if (count === 0) { say('No item matches'); }
              if (first > lastFirst()) first = lastFirst();
              draw();
              if (first > 0 && !keepsRows) { focus = Math.max(focus, first); reveal(); }
            } catch (error) {
              if (error.failure?.code === 'deadlineExceeded' && count === null) {
                // The rows can be looked at, although counting all of them takes too long.
                isOpen = true;
                const page = Math.floor(first / PAGE);
                count = page * PAGE + 1;
                if (pages.get(page)) grow(page, pages.get(page));
                draw();
                if (first > 0) reveal();
              }
              fail(error);
            }
          };
          const resized = () => draw();
          addEventListener('resize', resized);
          leave = () => { abort.abort(); events?.close(); removeEventListener('resize', resized); clearTimeout(scrolled.timer); };
          refresh();
        };

        // --- Frequent values

        const showFacets = async (at, attribute, query) => {
          const dialog = h('dialog', { 'aria-label': `Frequent values of ${attribute}` }, h('h2', {}, attribute), h('p', {}, 'Counting…'));
          document.body.append(dialog);
          dialog.addEventListener('close', () => dialog.remove());
          dialog.showModal();
          const close = h('button', { onclick: () => dialog.close() }, 'Close');
          try {
            const answer = await json('facets.json', { ...query, attribute });
            const narrowed = (predicate) => at.where ? `(${at.where}) AND ${predicate}` : predicate;
            dialog.replaceChildren(h('h2', {}, attribute), h('table', {}, h('tbody', {}, ...answer.values.map((value) => h('tr', {},
              h('td', {}, value.predicate === undefined ? cellText(value.cell) : h('a', { href: address({ ...query, where: narrowed(value.predicate) }), onclick: (event) => { event.preventDefault(); dialog.close(); go({ ...query, where: narrowed(value.predicate) }); } }, cellText(value.cell) || (value.cell.kind === 'null' ? 'null' : '(empty)'))),
              h('td', { class: 'num' }, number(value.count)))))), ...(answer.hasMore ? [h('p', { class: 'dim' }, 'There are more values.')] : []), close);
          } catch (error) { dialog.replaceChildren(h('h2', {}, attribute), h('p', { class: 'bad' }, error.message), close); }
        };

        // --- An item

        const showItem = async (at) => {
          const item = await json('item.json', { store: at.store, type: at.type, id: at.id });
          const here = { store: at.store, type: at.type, id: at.id };
          const data = (cell) => {
            const text = textOf(cell.text);
            return h('div', {}, h('pre', {}, dump(cell.text) + (cell.size === undefined ? '' : `\n… ${number(cell.size)} bytes`)), text === null ? null : h('div', { class: 'dim' }, 'As text:'), text === null ? null : h('pre', {}, text));
          };
          const attribute = (one) => h('tr', {}, h('th', { scope: 'row' }, one.name, ' ', h('span', { class: 'kind' }, one.cell.kind)), h('td', {},
            one.picture ? h('img', { alt: one.name, src: path('picture', { ...here, attribute: one.name }) }) : one.cell.kind === 'data' ? data(one.cell) : h('pre', {}, valueNode(one.cell, at)),
            one.cell.kind === 'date' ? h('div', { class: 'dim' }, `${new Date(one.cell.text).toLocaleString()} local`) : null,
            ['string', 'data', 'array', 'dictionary'].includes(one.cell.kind) && (one.cell.size !== undefined || one.cell.kind === 'data')
              ? h('a', { href: path('value', { ...here, attribute: one.name }), download: true }, 'Save the whole value') : null));
          const linked = (one) => h('li', {}, one.title === undefined
            ? h('span', { class: 'bad' }, `${one.type} ${one.id}: deleted`)
            : link({ store: at.store, view: 'item', type: one.type, id: one.id }, one.title || one.id), h('span', { class: 'kind' }, ` ${one.type}`));
          const copy = async () => { await navigator.clipboard.writeText(await (await get('export', { store: at.store, type: at.type, id: at.id, format: 'jsonl' })).text()); say('Copied as JSON'); };
          $('main').replaceChildren(
            h('h1', {}, item.title || item.id),
            h('div', { class: 'bar' }, link({ store: at.store, type: at.type }, at.type), h('span', { class: 'mono dim' }, item.id),
              h('button', { type: 'button', onclick: () => copy().catch((error) => say(error.message)) }, 'Copy as JSON'), stores[at.store].isChangeable ? h('button', { type: 'button', onclick: () => $('main').querySelector('table').replaceWith(editor(at, item.attributes.filter((one) => one.json !== undefined), false)) }, 'Edit') : null,
              stores[at.store].isChangeable ? h('button', { type: 'button', onclick: () => add(at, { type: at.type, id: at.id, isDeletion: true }) }, 'Delete') : null,
              h('span', { class: 'dim' }, clock(item.time))),
            h('table', { class: 'item' }, h('tbody', {}, ...item.attributes.map(attribute))),
            ...item.relationships.flatMap((one) => [h('h2', {}, `${one.name} → ${one.type} (${number(one.count)})`, h('span', { class: 'kind' }, ` deleting ${rule(one)}`)),
              h('ul', {}, ...one.items.map(linked)), one.count > one.items.length ? h('p', { class: 'dim' }, `The first ${one.items.length} of ${number(one.count)}.`) : null].filter(Boolean)),
            h('h2', {}, 'Deleted with it'),
            item.cascades.length === 0 ? h('p', { class: 'dim' }, item.hasMoreCascades ? 'There was not enough time to count them.' : 'Nothing.') : h('ul', {}, ...item.cascades.map((one) => h('li', {}, link({ store: at.store, type: one.type }, one.type), ` ${number(one.count)}${item.hasMoreCascades ? ' or more' : ''}`))),
            h('h2', {}, 'Referred to by'),
            item.referrers.length === 0 ? h('p', { class: 'dim' }, 'Nothing.') : h('ul', {}, ...item.referrers.map((one) =>
              h('li', {}, link({ store: at.store, type: one.type, where: one.predicate }, `${one.type}.${one.attribute}`), ` ${one.count === undefined ? 'too many items to count without an index' : number(one.count)}`))));
        };

        // --- Bytes

        const showRaw = async (at) => {
          const answer = await json('raw.json', { store: at.store, part: at.part, number: at.number, from: at.from, after: at.after, limit: 50 });
          const choice = h('select', { 'aria-label': 'Part of the store' }, h('option', { value: '' }, 'all'),
            ...answer.parts.map((one) => h('option', { value: `${one.name}/${one.number ?? ''}`, selected: one.name === at.part && String(one.number ?? '') === at.number }, one.type ? `${one.name} of ${one.type}` : one.name)));
          choice.addEventListener('change', () => { const [part, number] = choice.value.split('/'); go({ store: at.store, view: 'raw', part, number }); });
          const from = h('input', { 'aria-label': 'First key, in hexadecimal digits', placeholder: 'First key, in hexadecimal digits', value: at.from, class: 'mono' });
          const sound = (one) => one.isSound === undefined ? h('span', { class: 'dim' }, 'by verify') : one.isSound ? h('span', { class: 'good' }, 'right') : h('span', { class: 'bad' }, 'damaged');
          $('main').replaceChildren(h('h1', {}, 'Bytes'), h('form', { class: 'bar', onsubmit: (event) => { event.preventDefault(); go({ store: at.store, view: 'raw', part: at.part, number: at.number, from: from.value.replaceAll(' ', '') }); } }, choice, from, h('button', {}, 'Show')),
            h('table', {}, h('thead', {}, h('tr', {}, ...['Part', 'Key', 'Bytes', 'Value', 'Checksum'].map(column))),
              h('tbody', {}, ...answer.entries.map((one) => h('tr', {},
                h('td', {}, one.part ?? 'unknown', one.type ? h('div', {}, one.id ? link({ store: at.store, view: 'item', type: one.type, id: one.id }, one.type) : one.type) : null),
                h('td', {}, one.key), h('td', { class: 'num' }, number(one.size)), h('td', {}, one.value + (one.value.length / 2 < one.size ? '…' : '')), h('td', {}, sound(one)))))),
            answer.entries.length === 50 ? h('p', {}, link({ store: at.store, view: 'raw', part: at.part, number: at.number, after: answer.entries.at(-1).key }, 'Next')) : h('p', { class: 'dim' }, 'The end.'));
        };

        // --- Work that takes long

        const showWork = (at, title, name, params, onEvent, onReport) => {
          const bar = h('progress', { 'aria-label': title, max: '1' });
          const text = h('p', { class: 'dim' }, 'Reading…');
          const results = h('div', {});
          const events = new EventSource(path(name, params));
          const end = () => { events.close(); bar.remove(); stop.remove(); };
          const stop = h('button', { type: 'button', onclick: () => { end(); text.textContent = 'Stopped.'; } }, 'Stop');
          events.addEventListener('progress', (event) => {
            const progress = JSON.parse(event.data);
            if (progress.fraction !== undefined) bar.value = progress.fraction;
            text.textContent = `${number(progress.items)} items${progress.type ? ` of ${progress.type}` : ''}`;
          });
          events.addEventListener('report', (event) => { end(); text.textContent = ''; results.prepend(onReport(JSON.parse(event.data))); });
          events.addEventListener('failure', (event) => { end(); text.className = 'bad'; text.textContent = JSON.parse(event.data).message; });
          events.onerror = () => { if (events.readyState === EventSource.CLOSED || bar.isConnected) { end(); text.textContent = 'The inspector did not answer.'; } };
          if (onEvent) events.addEventListener('difference', (event) => results.append(onEvent(JSON.parse(event.data))));
          leave = () => events.close();
          $('main').replaceChildren(h('h1', {}, title), bar, stop, text, results);
        };

        const showVerify = (at) => showWork(at, `Verify ${stores[at.store].name}`, 'verify', { store: at.store }, null, (report) => h('div', {},
          report.problems.length === 0 ? h('p', { class: 'good' }, 'Nothing is damaged.') : h('ul', { class: 'bad' }, ...report.problems.map((problem) => h('li', {}, problem))),
          h('table', {}, h('tbody', {}, ...Object.entries(report.counts).map(([type, count]) => h('tr', {}, h('th', { scope: 'row' }, type), h('td', { class: 'num' }, number(count))))))));

        const showStats = (at) => showWork(at, `Sizes in ${stores[at.store].name}`, 'stats', { store: at.store }, null, (report) => {
          const all = Math.max(1, report.shares.reduce((sum, one) => sum + one.bytes, 0));
          const bound = (place) => `< ${['16 B', '64 B', '256 B', '1 KiB', '4 KiB', '16 KiB', '64 KiB', '256 KiB', '1 MiB'][place] ?? `${4 ** (place - 8)} MiB`}`;
          const space = report.space;
          return h('div', {}, h('table', {}, h('thead', {}, h('tr', {}, ...['Part', 'Type', 'Index', 'Entries', 'Bytes', 'Share', 'Largest value', 'Values by size'].map(column))),
            h('tbody', {}, ...report.shares.map((one) => h('tr', {}, h('th', { scope: 'row' }, one.part), h('td', {}, one.type ?? ''), h('td', {}, (one.index ?? []).join(', ')),
              h('td', { class: 'num' }, number(one.entries)), h('td', { class: 'num' }, number(one.bytes)),
              h('td', {}, h('meter', { min: '0', max: '1', value: String(one.bytes / all), 'aria-label': `${(100 * one.bytes / all).toFixed(1)} % of the bytes` })),
              h('td', { class: 'num' }, number(one.largest)), h('td', {}, one.histogram.map((count, place) => count ? `${bound(place)}: ${number(count)}` : '').filter(Boolean).join(', ')))))),
            space ? h('p', {}, `${number(space.pages)} pages of ${number(space.pageSize)} bytes, of which ${number(space.freePages)} are free` + (space.pinnedPages ? `; ${number(space.pinnedPages)} of these cannot be used again until the oldest read block has ended.` : '.')) : null,
            space ? h('ul', {}, ...space.readers.filter((one) => one.age > 0).map((one) => h('li', {}, `Process ${one.process} reads a snapshot that is ${number(one.age)} commits old.`))) : null);
        });

        const showDiff = (at) => {
          const signs = { type: '~ type', removed: '−', added: '+', changed: '~' };
          showWork(at, `${stores[at.store].name} and ${stores[Number(at.other)]?.name ?? ''}`, 'diff', { store: at.store, other: at.other }, (one) => h('div', { class: 'mono' },
            `${signs[one.kind]} ${one.type} `, one.id ? link({ store: one.kind === 'added' ? at.other : at.store, view: 'item', type: one.type, id: one.id }, one.id) : '',
            ...one.values.flatMap((value) => [h('div', {}, `    ${value.attribute}: `, valueNode(value.first, at), ' → ', valueNode(value.second, { ...at, store: at.other }))])),
          (report) => h('p', {}, !report.isWhole ? 'These are the first 500 differences.'
            : report.removed + report.added + report.changed + report.types === 0 ? `${number(report.same)} items are the same.`
            : `${number(report.removed)} only in the first, ${number(report.added)} only in the second, ${number(report.changed)} different, ${number(report.same)} the same; ${number(report.types)} types differ.`));
        };

        addEventListener('popstate', show);
        await signIn();
        await show();
        document.body.dataset.ready = 'true';
        """#
}

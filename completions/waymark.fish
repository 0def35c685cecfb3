# Completion of waymark and `git waymark` for fish: waymark completion fish > ~/.config/fish/completions/waymark.fish

function __waymark_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    if test (count $words) -gt 0; and test "$words[1]" = git
        while test (count $words) -gt 0; and test "$words[1]" != waymark
            set -e words[1]
        end
    end
    set -e words[1]
    set -l lines (command waymark complete -- $words "$current" 2>/dev/null </dev/null)
    set -l mode $lines[1]
    set -e lines[1]
    set -l assigned (string match -r -- '^--[^=]+=' "$current")
    set -l value (string replace -r -- '^--[^=]+=' '' "$current")
    switch "$mode"
        case files
            string replace -r -- '^' "$assigned" (__fish_complete_path "$value")
        case folders
            string replace -r -- '^' "$assigned" (__fish_complete_directories "$value" '')
        case commands
            __fish_complete_external_command
        case '*'
            printf '%s\n' $lines
    end
end

function __waymark_in_git
    contains -- waymark (commandline -opc)
end

complete -c waymark -f -k -a '(__waymark_complete)'
complete -c git-waymark -f -k -a '(__waymark_complete)'
complete -c git -n __waymark_in_git -f -k -a '(__waymark_complete)'
